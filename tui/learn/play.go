package learn

import (
	"fmt"

	"kubarium/tui/term"
)

// speeds are how much faster or slower than usual a lesson may run.
var speeds = []float64{0.25, 0.5, 1, 2, 4}

// normalSpeed is the index of the usual one.
const normalSpeed = 2

// faster changes the speed of the lessons by so many places.
func (l *Page) faster(by int) {
	l.speed = max(0, min(l.speed+by, len(speeds)-1))
	l.Loaded.Player.SetSpeed(speeds[l.speed])
	l.env.Say("lessons run ×%g", speeds[l.speed])
}

// speedNote says how fast the lesson runs, unless that is as usual.
func (l *Page) speedNote() string {
	if l.speed == normalSpeed {
		return ""
	}
	return fmt.Sprintf(" ×%g", speeds[l.speed])
}

// Asking is the question that the loaded lesson waits with, nil if it does not wait.
func (l *Page) Asking() *Question {
	if l.Loaded == nil || l.busy {
		return nil
	}
	if s := l.Loaded.Player.State(); s.Phase == Waiting {
		return s.Question
	}
	return nil
}

// ChoiceKey is the key that answers with the i-th choice: a, b, c.
func ChoiceKey(i int) string { return string(rune('a' + i)) }

// AnswerKey answers the question that is on the screen if k is one of its keys, and plays on.
func (l *Page) AnswerKey(k string) bool {
	q := l.Asking()
	if q == nil || l.back > 0 || !l.asked() {
		return false
	}
	for i, choice := range q.Choices {
		if ChoiceKey(i) == k {
			p := l.Loaded.Player
			p.Answer(choice)
			l.call(term.Pick(l.running, p.Run, p.Step))
			return true
		}
	}
	return false
}

// asked reports whether the question is on the screen: in the strip, or over all.
func (l *Page) asked() bool {
	_, over := l.env.Over.(*lessonPage)
	return over || l.InSight
}

// lookBack shows what the step before told; nothing on the server is undone.
func (l *Page) lookBack() {
	if l.back+1 >= len(l.Loaded.Player.Told()) {
		l.env.Say("there is no step before")
		return
	}
	l.back++
	l.env.Say("looking back %d; . comes forward again, nothing on the server is undone", l.back)
}

// telling is what the strip tells: of the present, with what became of the reader's prediction, or of a step before.
func (l *Page) telling(s State) Telling {
	if told := l.Loaded.Player.Told(); l.back > 0 && l.back < len(told) {
		t := told[len(told)-1-l.back]
		t.Narration = fmt.Sprintf("(%d back) ", l.back) + t.Narration
		return t
	}
	t := s.Telling
	switch {
	case s.Phase == Waiting: // the state is of the step to come, and would give its answer away
		t = Telling{}
		if told := l.Loaded.Player.Told(); len(told) > 0 {
			t = told[len(told)-1]
		}
	case s.Question == nil || s.Answer == "" || l.busy && s.Phase != Running:
	case s.Answer == s.Question.Right:
		t.Narration = fmt.Sprintf("✓ You said %s, and so it is. ", s.Answer) + t.Narration
	default:
		t.Narration = fmt.Sprintf("✗ You said %s; it is %s. ", s.Answer, s.Question.Right) + t.Narration
	}
	return t
}
