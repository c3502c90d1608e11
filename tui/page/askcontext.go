package page

import "kubarium/tui/term"

// AskWrite does what writes, after a question where the server is that of a context.
func (e *Env) AskWrite(do func()) {
	e.askContext(e.F("Write to %s?", e.Context), "The cluster's server stores it.", "send it", do)
}

// AskRules does what adds fault rules, after the same question.
func (e *Env) AskRules(do func()) {
	e.askContext(e.F("Add fault rules to %s?", e.Context), "They act on what clients send through the glass.", "add them", do)
}

func (e *Env) askContext(title, text, label string, do func()) {
	if e.Context == "" {
		do()
		return
	}
	e.Over = &term.Menu{Title: title, Text: []string{text}, Items: []term.Item{{Key: "w", Label: label, Do: do}}}
}

// AskInWords is the same question in plain mode, after what says what will be done: yes is typed, or it is not done.
func (e *Env) AskInWords(print func(format string, args ...any), what string, do func()) {
	if e.Context == "" {
		do()
		return
	}
	print("This %s %s.", what, e.Context)
	e.AwaitYes(print, do)
}

// AwaitYes does something when yes is typed next, in plain mode.
func (e *Env) AwaitYes(print func(format string, args ...any), do func()) {
	print("Type yes to do it; anything else keeps it.")
	e.Yes = do
}
