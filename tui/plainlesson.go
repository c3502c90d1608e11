package tui

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/tui/learn"
	"kubarium/tui/term"
)

// lesson does the commands of lessons and reports whether word is one of them.
func (p *plain) lesson(word, rest string) bool {
	l := p.u.lesson
	switch word {
	case "lessons":
		p.lessons(rest)
		return true
	case "lesson":
		if p.done != nil {
			p.print("The loaded lesson is in the middle of a step.")
			return true
		}
		if !l.Open(rest) {
			p.print("There is no lesson %q; lessons lists them.", rest)
			return true
		}
		p.opening(l.Loaded)
		return true
	case "lang":
		p.speak(rest)
		return true
	case "run", "step", "pause", "reset", "answer", "pace":
	default:
		return false
	}
	if l.Loaded == nil {
		p.print("No lesson is loaded: lesson NAME loads one.")
		return true
	}
	switch {
	case word == "answer":
		p.answer(rest)
	case word == "pace":
		p.pace(rest)
	default:
		p.play(word, l.Loaded.Player)
	}
	return true
}

// speak changes the language of the lessons.
func (p *plain) speak(name string) {
	l := p.u.lesson
	if !slices.Contains(l.Languages(), name) {
		p.print("%s", term.Pick(l.Languages() == nil, "The lessons are in one language alone.",
			"The lessons are in "+strings.Join(l.Languages(), ", ")+"."))
		return
	}
	l.Speak(name)
	p.settle()
	p.print("%s", p.u.Toast.Text)
	p.narrate()
}

// lessons lists the lessons that have all words, course by course.
func (p *plain) lessons(words string) {
	l := p.u.lesson
	l.Opened()
	p.settle()
	course := ""
	for _, le := range l.Search(words) {
		if heading := le.Heading(); heading != course {
			course = heading
			p.print("%s:", course)
		}
		_, _, word := l.Standing(le)
		needs := ""
		if what := l.Lacking(le); what != "" {
			needs = " It " + what + "."
		}
		p.print("%s: %s, %s.%s", le.Name, le.Title, word, needs)
	}
	if course == "" && words != "" {
		p.print("No lesson has the words %q; lessons alone lists all.", words)
	}
}

// opening prints what the loaded lesson is about, and its actors.
func (p *plain) opening(le *learn.Lesson) {
	p.told = ""
	p.print("%s. %s", le.Title, le.Summary)
	for _, a := range le.Actors {
		p.print("%s: %s.", a.Name, a.Role)
	}
	p.print("run goes on, one step at a time; step plays also what is yours to send.")
}

// pace changes how the lesson goes on.
func (p *plain) pace(name string) {
	if !p.u.lesson.SetPace(name) {
		p.print("The paces are %s.", strings.Join(learn.Paces(), ", "))
		return
	}
	p.print("Pace %s.", p.u.lesson.Pace())
}

// play calls the player off the loop, so that the requests of a lesson are printed while it plays.
func (p *plain) play(word string, player learn.Player) {
	if word == "pause" {
		if err := player.Pause(); err != nil {
			p.print("%s", err)
		}
		return
	}
	if p.done != nil {
		p.print("The lesson is in the middle of a step; pause stops it after that.")
		return
	}
	done := make(chan error, 1)
	p.done = done
	call := map[string]func() error{"run": player.Run, "step": player.Step, "reset": player.Reset}[word]
	go func() { done <- call() }()
}

// narrate prints what the current step of the lesson says, once.
func (p *plain) narrate() {
	l := p.u.lesson.Loaded
	if l == nil {
		return
	}
	s := l.Player.State()
	if s.Phase == learn.Waiting && s.Await == nil || s.Narration == "" || s.Narration == p.told {
		return
	}
	p.told = s.Narration
	if names := s.Replaced; len(names) > 0 && len(l.Player.Told()) == 1 {
		p.print("Paused while this lesson does their work: %s.", strings.Join(names, ", "))
	}
	p.print("Lesson, %d of %d: %s", len(l.Player.Told()), len(l.Steps), s.Narration)
	if s.LookAt != "" {
		p.print("Look at: %s.", s.LookAt)
	}
	if s.You != "" && s.Await == nil {
		p.print("You can try: %s", s.Command(l.Kubectl))
	}
}

// happened prints what has happened to the loaded lesson by itself: what the reader sent, or what another client
// disturbed.
func (p *plain) happened() {
	p.u.lesson.KeepProgress()
	p.settle()
	if p.done == nil { // else its end is printed soon
		p.stands()
	}
}

// answer takes the reader's prediction, and plays the step that it is about.
func (p *plain) answer(choice string) {
	q := p.u.lesson.Asking()
	if q == nil || p.done != nil {
		p.print("The lesson asks nothing now.")
		return
	}
	for i, c := range q.Choices {
		if strings.EqualFold(choice, c) || choice == learn.ChoiceKey(i) {
			p.u.lesson.Loaded.Player.Answer(c)
			p.print("%s", term.Pick(c == q.Right, "Right.", "It is "+q.Right+"."))
			p.play("step", p.u.lesson.Loaded.Player)
			return
		}
	}
	p.print("The answers are %s.", strings.Join(q.Choices, ", "))
}

func (p *plain) lessonEnded(err error) {
	if err != nil {
		p.print("%s", err)
	}
	p.u.lesson.KeepProgress()
	p.settle()
	p.stands()
}

// stands prints the state of the lesson and how it goes on.
func (p *plain) stands() {
	l := p.u.lesson.Loaded
	if l == nil {
		return
	}
	s := l.Player.State()
	if n := s.Notice; n != nil {
		p.print("%s %s %s, which belongs to this lesson: what it says next may no longer hold. run goes on, reset begins again%s.", n.By(p.u.Store()), n.Did, n.Object,
			term.Pick(n.Seq == 0, "", fmt.Sprintf(", show %d shows the request", n.Seq)))
	}
	if q := p.u.lesson.Asking(); q != nil {
		p.print("Question: %s Type answer and one of: %s; or step to go on without.", q.Ask, strings.Join(q.Choices, ", "))
		return
	}
	if s.Came != "" && s.Came != p.came {
		p.print("That was it: %s.", s.Came)
	}
	p.came = s.Came
	p.narrate()
	if a := s.Await; a != nil {
		p.awaits(a, l)
		return
	}
	p.print("Lesson %s: %d of %d steps. %s", s.Phase, s.Done, len(l.Steps), s.Problem)
	if s.Phase == learn.Done {
		p.ending(l)
	}
}

// awaits prints which command the lesson waits for, or what came in its place.
func (p *plain) awaits(a *learn.Await, l *learn.Lesson) {
	if a.Came != "" {
		p.print("%s. The lesson still waits; step plays it for you.", a.Came)
		return
	}
	p.print("Your turn, in another terminal; step plays it for you:")
	p.print("%s", learn.Telling{You: a.Command}.Command(l.Kubectl))
}

// ending prints what was learned, and which lesson is next.
func (p *plain) ending(l *learn.Lesson) {
	if l.Learned != "" {
		p.print("Learned: %s", l.Learned)
	}
	if l.Next != "" {
		p.print("Next: lesson %s", l.Next)
	}
}
