package tui

import (
	"context"
	"time"

	"github.com/charmbracelet/x/ansi"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A Drawing is the screen without a terminal, at one size: for what checks whether a lesson's steps can be seen.
type Drawing struct{ u *ui }

// NewDrawing makes a drawing of a run, with the lesson Options.Scenario loaded. It follows the gate until ctx ends.
func NewDrawing(ctx context.Context, o Options, w, h int) *Drawing {
	o.NoIntro = true
	if o.Now == nil {
		o.Now = time.Now
	}
	u := newUI(o, term.NewTheme("mono"))
	u.resize(w, h)
	u.followGate(ctx)
	return &Drawing{u}
}

// soon is how far off a thing may be that a drawing does at once; what is later only takes messages away.
const soon = time.Second

// Draw shows what has happened, as the lesson leads, and returns the screen as text. Seen reports whether what the
// present step points at is on it; a step that points at nothing is seen once its request is.
func (d *Drawing) Draw() (screen string, seen bool) {
	u := d.u
	u.fold()
	u.guide.Follow()
	if !u.guide.seeks { // the end of the step lets the lesson look again
		u.guide.seeks = true
		u.guide.Follow()
	}
	u.Dirty = true
	u.view()
	for i := 0; i < mostAnswers && d.settle(); i++ {
		u.fold()
		u.Dirty = true
		u.view()
	}
	return ansi.Strip(u.frame), !u.guide.seeks && (u.Point == nil || u.Point.Seen)
}

// mostAnswers is how often an answer may make the screen ask for more.
const mostAnswers = 10

// settle does what the screen asked for, and reports whether that was anything.
func (d *Drawing) settle() bool {
	asked := d.u.takeEffects()
	for _, e := range asked {
		switch e := e.(type) {
		case page.Work:
			e.Run()()
		case page.Later:
			if e.After < soon {
				e.Do()
			}
		}
	}
	return len(asked) > 0
}
