package learn

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// paces are the speeds of a lesson. With 0 each step waits for the user; with 1 the lesson goes on by itself.
var paces = []float64{0, 1}

// paceName returns a pace in a word.
func paceName(times float64) string {
	if times == 0 {
		return "wait"
	}
	return fmt.Sprintf("×%g", times)
}

// Paces returns the names of all paces.
func Paces() []string {
	var out []string
	for _, times := range paces {
		out = append(out, paceName(times))
	}
	return out
}

// SetPace sets the pace to one of Paces, also written with an x, and reports whether it is one.
func (l *Page) SetPace(name string) bool {
	i := slices.Index(Paces(), strings.Replace(name, "x", "×", 1))
	if i < 0 {
		return false
	}
	l.pace = i
	l.Loaded.Player.SetSpeed(paces[i])
	return true
}

// Pace returns the name of the present pace.
func (l *Page) Pace() string { return l.env.T(paceName(paces[l.pace])) }

// waits reports whether the lesson waits for the user after each step.
func (l *Page) waits() bool { return paces[l.pace] == 0 }

// faster changes the pace by so many places.
func (l *Page) faster(by int) {
	l.pace = max(0, min(l.pace+by, len(paces)-1))
	l.Loaded.Player.SetSpeed(paces[l.pace])
	if l.waits() {
		l.env.Say("pace wait: space goes on after each step")
		return
	}
	l.env.Say("pace %s: space plays the lesson, and pauses it", paceName(paces[l.pace]))
}

// Toggle handles space: it goes on, pauses a running lesson, and at the end begins the next one.
func (l *Page) Toggle() {
	s := l.Loaded.Player.State()
	switch {
	case l.back > 0:
		l.back = 0
		l.guide.Follow()
	case s.Notice != nil: // Run dismisses it
		l.goOn()
	case s.Phase == Done:
		l.next()
	case s.Phase == Running:
		l.pause()
	default:
		l.goOn()
	}
}

func (l *Page) goOn() {
	l.running = true
	l.call(l.Loaded.Player.Run)
}

func (l *Page) pause() {
	l.running = false
	p := l.Loaded.Player
	l.env.Do(page.Work{Run: func() func() { return l.answer(p.Pause(), false) }})
}

// next loads the next lesson and starts it; a lesson that was played before begins again.
func (l *Page) next() {
	if !l.Open(l.Loaded.Next) {
		l.env.Say("this was the last lesson; 8 lists all")
		return
	}
	l.running = true
	p := l.Loaded.Player
	if phase := p.State().Phase; phase != Done && phase != Failed {
		l.call(p.Run)
		return
	}
	l.call(func() error {
		if err := p.Reset(); err != nil {
			return err
		}
		return p.Run()
	})
}

// step plays one step, also one of the user's, or comes one step forward when looking back.
func (l *Page) step() {
	if l.back > 0 {
		l.back--
		l.guide.Follow()
		return
	}
	l.running = false
	l.call(l.Loaded.Player.Step)
}

// Asking returns the question that the loaded lesson waits with, nil if there is none.
func (l *Page) Asking() *Question {
	if l.Loaded == nil || l.busy {
		return nil
	}
	if s := l.Loaded.Player.State(); s.Phase == Waiting {
		return s.Question
	}
	return nil
}

// ChoiceKey returns the key of the i-th choice: a, b, c.
func ChoiceKey(i int) string { return string(rune('a' + i)) }

// AnswerKey handles the keys that depend on the lesson's text, if that is on the screen.
func (l *Page) AnswerKey(k string) bool {
	if l.Loaded == nil || l.back > 0 || !l.asked() {
		return false
	}
	s := l.Loaded.Player.State()
	switch {
	case k == "w" && s.Notice != nil:
		l.showDisturber(s.Notice)
	case k == "y" && s.Await != nil:
		l.env.CopyLessonCommand()
	case k == "esc" && s.Over() && (l.words == "" || l.env.Front != page.Learn):
		l.leave()
	default:
		return l.choose(k)
	}
	return true
}

// choose answers the question with the choice of a key, and plays on.
func (l *Page) choose(k string) bool {
	q := l.Asking()
	if q == nil {
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

// showDisturber shows the request with which another client disturbed the lesson.
func (l *Page) showDisturber(n *Notice) {
	if n.Seq == 0 {
		l.env.Say("%s was changed %s", n.Object, l.env.Store().XLesson)
		return
	}
	if f := l.env.Log.Get(n.Seq); f == nil {
		l.env.Say("that request is no longer kept")
	} else {
		l.env.CloseOver()
		l.env.Jump(f)
	}
}

// asked reports whether the lesson's text is on the screen: in the strip, or over everything.
func (l *Page) asked() bool {
	_, over := l.env.Over.(*lessonPage)
	return over || l.InSight
}

// lookBack shows the text of the step before; nothing on the server is undone. A running lesson pauses.
func (l *Page) lookBack() {
	s := l.Loaded.Player.State()
	if current(l.Loaded, s)-l.back < 1 {
		l.env.Say("there is no step before")
		return
	}
	if l.running && s.Phase == Running {
		l.pause()
	}
	l.back++
	l.guide.Follow()
	l.env.Say("looking back %d; . comes forward again, nothing on the server is undone", l.back)
}

// telling is the text in the strip: of the present step, with the result of the user's prediction, or of an earlier
// step.
func (l *Page) telling(s State) Telling {
	told := l.Loaded.Player.Told()
	if i := l.told(s); l.back > 0 && i >= 0 && i < len(told) {
		t := told[i]
		t.Narration = l.env.F("(%d back) ", l.back) + t.Narration
		return t
	}
	t := s.Telling
	if s.Came != "" {
		t.Narration = "✓ That was it: " + s.Came + ". " + t.Narration
	}
	switch {
	case s.Phase == Waiting && s.Await == nil: // the state has the next step's text, which contains the answer
		t = Telling{}
		if len(told) > 0 {
			t = told[len(told)-1]
		}
	case s.Question == nil || s.Answer == "" || l.busy && s.Phase != Running:
	case s.Answer == s.Question.Right:
		t.Narration = l.env.F("✓ You said %s, and so it is. ", s.Answer) + t.Narration
	default:
		t.Narration = l.env.F("✗ You said %s; it is %s. ", s.Answer, s.Question.Right) + t.Narration
	}
	return t
}
