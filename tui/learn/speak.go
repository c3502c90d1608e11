package learn

import (
	"slices"
	"strings"

	"kubarium/scenarios/words"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// SetLanguages sets the languages of the lessons, and the function that translates them.
func (l *Page) SetLanguages(all []string, retell func(string) ([]Lesson, error)) {
	l.languages, l.retell = all, retell
}

// Languages returns the languages of the lessons; none if there is only one.
func (l *Page) Languages() []string { return l.languages }

// Speak changes the language of the lessons and of the screen; the lessons keep their state.
func (l *Page) Speak(name string) {
	l.env.Do(page.Work{Run: func() func() {
		lessons, err := l.retell(name)
		return func() { l.spoken(name, lessons, err) }
	}})
}

// spoken replaces the lessons by translated ones.
func (l *Page) spoken(name string, lessons []Lesson, err error) {
	if err != nil {
		l.env.Say("%s", err)
		return
	}
	l.Lessons, l.env.Words = lessons, words.In(name)
	if l.Loaded != nil {
		l.Loaded = l.named(l.Loaded.Name)
	}
	l.env.Relayout()
	l.env.Dirty = true
	l.SayLanguage(name)
}

// SayLanguage says which language the lessons are in, or what terminals do to the letters of the screen's.
func (l *Page) SayLanguage(name string) {
	l.env.Say(term.Pick(words.RightToLeft(name), "the screen is in %s; few terminals join its letters or set it right to left",
		"lessons are in %s"), name)
}

// languageCommands are the commands that change the language.
func (l *Page) languageCommands() []term.Command {
	var out []term.Command
	for _, name := range l.languages {
		help := l.env.F(term.Pick(words.RightToLeft(name), "show the lessons in %s; few terminals join its letters or set it right to left",
			"show the lessons in %s, the loaded one too"), name)
		out = append(out, term.Command{Keys: ":lang " + name, Help: help, Do: func() { l.Speak(name) }})
	}
	return append(out, term.Command{Keys: ":lang", Help: "change the language of the lessons, or say which there are",
		Off: page.Unless(len(out) > 0, "there are no translations"), Do: func() { l.speakNamed("") }, Takes: l.speakNamed})
}

// speakNamed changes the language to one of the lessons', or says which there are.
func (l *Page) speakNamed(name string) {
	if slices.Contains(l.languages, name) {
		l.Speak(name)
	} else {
		l.env.Say("%s; there are %s", term.Pick(name == "", l.env.T("lessons are in several languages"),
			l.env.F("no lessons in %s", name)), strings.Join(l.languages, ", "))
	}
}
