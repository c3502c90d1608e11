package tui

import (
	"strings"

	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// lesson does the commands of lessons and reports whether word is one of them.
func (p *plain) lesson(word, rest string) bool {
	l := p.u.lesson
	switch word {
	case "lessons":
		for i := range p.u.lesson.Lessons {
			le := &p.u.lesson.Lessons[i]
			_, _, word := l.Standing(le)
			p.print("%s: %s. %s", le.Name, le.Title, word)
		}
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
		p.print("%s. %s", l.Loaded.Title, l.Loaded.Summary)
		return true
	case "run", "step", "pause", "reset", "answer":
	default:
		return false
	}
	if l.Loaded == nil {
		p.print("No lesson is loaded: lesson NAME loads one.")
		return true
	}
	if word == "answer" {
		p.answer(rest)
		return true
	}
	p.play(word, l.Loaded.Player)
	return true
}

// play calls the player off the loop, so that the requests of a lesson are told while it plays.
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

// narrate tells what the current step of the lesson says, once.
func (p *plain) narrate() {
	l := p.u.lesson.Loaded
	if l == nil {
		return
	}
	if s := l.Player.State(); s.Phase != learn.Waiting && s.Narration != "" && s.Narration != p.told {
		p.told = s.Narration
		p.print("Lesson, %d of %d: %s", s.Done, len(l.Steps), s.Narration)
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

// effects does what the ui left to be done off its loop; here nothing waits for it.
func (p *plain) effects() {
	for _, e := range p.u.takeEffects() {
		if w, ok := e.(page.Work); ok {
			w.Run()()
		}
	}
}

func (p *plain) lessonEnded(err error) {
	if err != nil {
		p.print("%s", err)
	}
	if q := p.u.lesson.Asking(); q != nil {
		p.print("Question: %s Type answer and one of: %s; or step to go on without.", q.Ask, strings.Join(q.Choices, ", "))
		return
	}
	p.u.lesson.KeepProgress()
	p.effects()
	p.narrate()
	s := p.u.lesson.Loaded.Player.State()
	p.print("Lesson %s: %d of %d steps. %s", s.Phase, s.Done, len(p.u.lesson.Loaded.Steps), s.Problem)
}
