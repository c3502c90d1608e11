package learn

import (
	"strings"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// PlayKeys returns the keys that play the loaded lesson, on every page. The hints are those of its state.
func (l *Page) PlayKeys() []page.Binding {
	space, step, again := l.hints()
	return append(l.choiceKeys(), []page.Binding{
		{Keys: []string{"space"}, Hint: space, Help: "go on with the lesson, or pause it; at its end, start the " +
			"next one", Off: l.needsToGoOn, Do: l.Toggle},
		{Keys: []string{"."}, Hint: step, Help: "play one step of the lesson, also one that is yours; after " +
			"looking back, come forward", Off: l.needsStep, Do: l.step},
		{Keys: []string{","}, Help: "look back at the text of the step before", Off: l.needsLesson,
			Do: l.lookBack},
		{Keys: []string{">"}, Help: "let the lesson go on by itself",
			Off: l.needsLesson, Do: func() { l.faster(1) }},
		{Keys: []string{"<"}, Help: "let the lesson wait for you after each step again",
			Off: l.needsLesson, Do: func() { l.faster(-1) }},
		{Keys: []string{"R"}, Hint: again, Help: "begin the lesson again: remove what it created", Off: l.needsLesson,
			Do: l.askReset},
		{Keys: []string{"L"}, Hint: "whole step", Help: "show the whole step of the lesson; there y copies its command",
			Off: l.needsLesson, Do: l.openPage},
		{Keys: []string{"\\"}, Help: "hide the lesson's strip, and show it", Off: l.needsLesson, Do: l.toggleHidden},
	}...)
}

// choiceKeys are the keys that answer the lesson's question, as one, while it asks.
func (l *Page) choiceKeys() []page.Binding {
	q := l.Asking()
	if q == nil || l.back > 0 || !l.asked() {
		return nil
	}
	b := page.Binding{Hint: l.env.F(term.Pick(len(q.Choices) == 2, "or %s answer", "to %s answer"), ChoiceKey(len(q.Choices)-1)),
		Keys: choiceNames(q), Help: "answer the lesson's question", Do: func() { l.choose(ChoiceKey(0)) }}
	return []page.Binding{b}
}

// hints are those of space, of . and of R in the lesson's state.
func (l *Page) hints() (space, step, again string) {
	if l.Loaded == nil {
		return "go on", "step", ""
	}
	switch s := l.Loaded.Player.State(); {
	case l.back > 0:
		return "go on", "forward", ""
	case s.Notice != nil:
		return "go on", "", "begin again"
	case s.Phase == Waiting && s.Await != nil:
		return "", "play it for me", ""
	case s.Phase == Waiting:
		return "", "skip", ""
	case s.Phase == Done:
		return "next lesson", "", ""
	case s.Phase == Failed:
		return "", "", "begin again"
	case s.Phase == Running:
		return "pause", "", ""
	case s.Phase == Idle:
		return "begin", "", ""
	}
	return "go on", "step", ""
}

func (l *Page) needsLesson() string { return page.Unless(l.Loaded != nil, "no lesson is loaded") }

// needsToGoOn says why space cannot go on.
func (l *Page) needsToGoOn() string {
	if l.Loaded == nil || l.back > 0 {
		return l.needsLesson()
	}
	s := l.Loaded.Player.State()
	switch {
	case s.Notice != nil: // Run dismisses it
		return ""
	case l.Asking() != nil:
		return l.env.F("the lesson waits for your answer: %s; . goes on without one",
			strings.Join(choiceNames(l.Asking()), ","))
	case s.Await != nil:
		return "the lesson waits for your command: y copies it, . plays it for you"
	case s.Phase == Failed:
		return "the lesson has failed; R begins again, esc leaves it"
	}
	return ""
}

// needsStep says why . has no step to play.
func (l *Page) needsStep() string {
	if l.Loaded == nil || l.back > 0 {
		return l.needsLesson()
	}
	switch l.Loaded.Player.State().Phase {
	case Done:
		return "the lesson is done; space goes to the next one, R begins again"
	case Failed:
		return "the lesson has failed; R begins again, esc leaves it"
	}
	return ""
}

// choiceNames are the keys that answer a question.
func choiceNames(q *Question) []string {
	var out []string
	for i := range q.Choices {
		out = append(out, ChoiceKey(i))
	}
	return out
}
