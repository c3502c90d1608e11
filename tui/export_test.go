package tui

import (
	"fmt"
	"time"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A Screen is the UI without a terminal, for tests beside a whole server.
type Screen struct{ u *ui }

// NewScreen is the UI of a run, with all that has come so far.
func NewScreen(o Options, w, h int) *Screen {
	o.NoIntro = true
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Screen{fullUI(o, term.NewTheme("mono"))}
	s.u.resize(w, h)
	s.u.recall()
	s.Settle()
	s.Fold()
	return s
}

// Fold takes what has come.
func (s *Screen) Fold() { s.u.fold() }

// Settle does at once what was left for the program, such as what is asked of the server.
func (s *Screen) Settle() { s.u.settle() }

// Ask does at once what is asked of the server, and forgets what was left for later.
func (s *Screen) Ask() {
	for effects := s.u.takeEffects(); len(effects) > 0; effects = s.u.takeEffects() {
		for _, e := range effects {
			if w, ok := e.(page.Work); ok {
				w.Run()()
			}
		}
	}
}

// Press presses a key.
func (s *Screen) Press(k string) { s.u.key(k) }

// Keys presses keys and does what they leave for the program.
func (s *Screen) Keys(ks ...string) {
	for _, k := range ks {
		s.u.key(k)
		s.Settle()
	}
}

// GoTo goes to a version.
func (s *Screen) GoTo(revision int64) {
	s.u.goToNamed(fmt.Sprint(revision))
	s.Settle()
}

// Text is what is on the screen.
func (s *Screen) Text() string {
	s.u.Dirty = true
	return s.u.screenText()
}

// Draw draws the screen.
func (s *Screen) Draw() { s.u.view() }

// Head is the newest version of the run.
func (s *Screen) Head() int64 { return s.u.live.Time.Head }

// At is the version on the screen.
func (s *Screen) At() int64 { return s.u.at() }
