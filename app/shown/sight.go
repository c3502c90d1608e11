package shown

import (
	"context"
	"fmt"
	"time"

	"kubarium/scenarios/play"
	"kubarium/tui"
	"kubarium/tui/learn"
)

// sizes are those of the screens on which each step of a lesson must be seen.
var sizes = [][2]int{{80, 24}, {120, 36}}

// patience is how long a request may take to come to the screen.
const patience = 5 * time.Second

// A Sight draws lessons as the UI shows them, for checks whether what their steps point at can be seen.
type Sight struct {
	ctx    context.Context
	run    tui.Options // whose log has the lessons' requests
	player *play.Player
	screen []*tui.Drawing // one a size, of the player's lesson
	done   func()         // stops what the screens follow; nil before the first lesson
}

// NewSight makes the sight of a run.
func NewSight(ctx context.Context, run tui.Options) *Sight { return &Sight{ctx: ctx, run: run} }

// See returns an error if a screen does not show what the player's latest step points at.
func (s *Sight) See(p *play.Player) error {
	if s.player != p {
		if s.done != nil {
			s.done()
		}
		ctx, done := context.WithCancel(s.ctx)
		s.player, s.screen, s.done = p, nil, done
		o := s.run
		l := uiLesson(p.Lesson)
		l.Player = uiPlayer{s.ctx, p}
		o.Lessons, o.Scenario = []learn.Lesson{l}, l.Name
		for _, size := range sizes {
			s.screen = append(s.screen, tui.NewDrawing(ctx, o, size[0], size[1]))
		}
	}
	for i, d := range s.screen {
		if text, ok := s.await(d); !ok {
			step := p.State().Step
			return fmt.Errorf("step %q: at %dx%d the screen does not show %q:\n%s", step.Title, sizes[i][0], sizes[i][1], step.Look, text)
		}
	}
	return nil
}

// await draws until the step is seen, or has had its time.
func (s *Sight) await(d *tui.Drawing) (screen string, seen bool) {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if screen, seen = d.Draw(); seen || time.Now().After(end) || s.ctx.Err() != nil {
			return screen, seen
		}
	}
}
