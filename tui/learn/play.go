package learn

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// paces are how much faster or slower than usual a lesson goes on by itself. With 0, the first one, each step waits for the reader.
var paces = []float64{0, 0.5, 1, 2, 4}

// paceName is a pace in a word.
func paceName(times float64) string {
	if times == 0 {
		return "wait"
	}
	return fmt.Sprintf("×%g", times)
}

// Paces are the names of all paces.
func Paces() []string {
	var out []string
	for _, times := range paces {
		out = append(out, paceName(times))
	}
	return out
}

// SetPace changes the pace of the lessons to one of Paces, also written with an x, and reports whether it is one.
func (l *Page) SetPace(name string) bool {
	i := slices.Index(Paces(), strings.Replace(name, "x", "×", 1))
	if i < 0 {
		return false
	}
	l.pace = i
	l.Loaded.Player.SetSpeed(paces[i])
	return true
}

// Pace is the name of the pace of the lessons.
func (l *Page) Pace() string { return paceName(paces[l.pace]) }

// waits reports whether a lesson waits after each step until its reader goes on.
func (l *Page) waits() bool { return paces[l.pace] == 0 }

// faster changes the pace of the lessons by so many places.
func (l *Page) faster(by int) {
	l.pace = max(0, min(l.pace+by, len(paces)-1))
	l.Loaded.Player.SetSpeed(paces[l.pace])
	if l.waits() {
		l.env.Say("pace wait: space goes on after each step")
		return
	}
	l.env.Say("pace %s: space plays the lesson, and pauses it", paceName(paces[l.pace]))
}

// Toggle is what space does: it goes on, pauses what goes on by itself, and at the end goes to the next lesson.
func (l *Page) Toggle() {
	s := l.Loaded.Player.State()
	switch {
	case l.back > 0:
		l.back = 0
		l.guide.Follow()
	case s.Notice != nil: // Run takes it for read
		l.goOn()
	case l.Asking() != nil:
		l.env.Say("the lesson waits for your answer; . goes on without one")
	case s.Await != nil:
		l.env.Say("the lesson waits for your command: y copies it, . plays it for you")
	case s.Phase == Done:
		l.next()
	case s.Phase == Failed:
		l.env.Say("the lesson has failed; R begins again")
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

// next loads the lesson that follows and starts it; one that was played before begins again.
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

// step plays one step, the reader's own as well, or comes one step back to the present.
func (l *Page) step() {
	if l.back > 0 {
		l.back--
		l.guide.Follow()
		return
	}
	switch l.Loaded.Player.State().Phase {
	case Done:
		l.env.Say("the lesson is done; space goes to the next one, R begins again")
		return
	case Failed:
		l.env.Say("the lesson has failed; R begins again")
		return
	}
	l.running = false
	l.call(l.Loaded.Player.Step)
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

// AnswerKey does what a key does only because of what the lesson says now, if that is on the screen.
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
	case k == "esc" && (s.Phase == Done || s.Phase == Failed) && (l.words == "" || l.env.Front != page.Learn):
		l.leave()
	default:
		return l.choose(k)
	}
	return true
}

// choose answers the question with the choice that a key stands for, and plays on.
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

// showDisturber shows the request by which somebody else changed what the lesson made.
func (l *Page) showDisturber(n *Notice) {
	if n.Seq == 0 {
		l.env.Say("%s was changed %s", n.Object, l.env.Store().XLesson)
		return
	}
	if f := l.env.Log.Get(n.Seq); f == nil {
		l.env.Say("that request is no longer held")
	} else {
		l.env.CloseOver()
		l.env.Jump(f)
	}
}

// asked reports whether what the lesson says is on the screen: in the strip, or over all.
func (l *Page) asked() bool {
	_, over := l.env.Over.(*lessonPage)
	return over || l.InSight
}

// lookBack shows what the step before told; nothing on the server is undone. A lesson that goes on by itself pauses.
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

// telling is what the strip tells: of the present, with what became of the reader's prediction, or of a step before.
func (l *Page) telling(s State) Telling {
	told := l.Loaded.Player.Told()
	if i := l.told(s); l.back > 0 && i >= 0 && i < len(told) {
		t := told[i]
		t.Narration = fmt.Sprintf("(%d back) ", l.back) + t.Narration
		return t
	}
	t := s.Telling
	switch {
	case s.Phase == Waiting && s.Await == nil: // the state is of the step to come, and would give its answer away
		t = Telling{}
		if len(told) > 0 {
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
