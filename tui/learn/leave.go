package learn

import (
	"kubarium/tui/term"
)

// AskLeave leaves the lesson, for esc when nothing else is open, and reports whether one is loaded. It asks first if the
// lesson is half-way.
func (l *Page) AskLeave() bool {
	if l.Loaded == nil {
		return false
	}
	s := l.Loaded.Player.State()
	if s.Phase == Idle || s.Over() {
		l.leave()
		return true
	}
	l.env.Over = &term.Menu{
		Title: "Leave the lesson?",
		Text: []string{
			l.env.F("%s: %d of %d steps are done. Loaded again, it goes on from there.",
				l.Loaded.Title, s.Done, len(l.Loaded.Steps)),
			"Its namespace, its watches and its rules at the gate stay until then.",
		},
		Items: []term.Item{
			{Key: "enter", Label: "leave it; 8 and enter come back", Do: l.leaveHalfway},
			{Key: "R", Label: "leave it, and remove what it made", Do: l.leaveAndRemove},
		},
	}
	return true
}

// leaveHalfway leaves a lesson that goes on when it is loaded again.
func (l *Page) leaveHalfway() {
	s, le := l.Loaded.Player.State(), l.Loaded
	if s.Phase == Running {
		l.pause()
	}
	l.leave()
	l.env.Say("you left %s at step %d of %d; 8 and enter go on there", le.Title, min(s.Done+1, len(le.Steps)), len(le.Steps))
}

// leaveAndRemove leaves a lesson that begins again from its start when it is loaded.
func (l *Page) leaveAndRemove() {
	l.call(l.Loaded.Player.Reset)
	l.leave()
}

// leave unloads the lesson. Its objects stay; loaded again, it goes on.
func (l *Page) leave() {
	l.guide.GiveBack()
	l.Loaded, l.env.LessonText, l.back = nil, nil, 0
	l.env.Relayout()
}
