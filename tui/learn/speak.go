package learn

import (
	"fmt"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// SetLanguages says in which languages the lessons can be told, and who tells them in another one.
func (l *Page) SetLanguages(all []string, retell func(string) ([]Lesson, error)) {
	l.languages, l.retell = all, retell
}

// Languages are those in which the lessons can be told; none if there is only one.
func (l *Page) Languages() []string { return l.languages }

// Speak goes on in another language: the lessons stand where they stood.
func (l *Page) Speak(name string) {
	l.env.Do(page.Work{Run: func() func() {
		lessons, err := l.retell(name)
		return func() { l.spoken(name, lessons, err) }
	}})
}

// spoken puts the lessons in other words in the place of the old ones.
func (l *Page) spoken(name string, lessons []Lesson, err error) {
	if err != nil {
		l.env.Say("%s", err)
		return
	}
	l.Lessons = lessons
	if l.Loaded != nil {
		l.Loaded = l.named(l.Loaded.Name)
	}
	l.env.Relayout()
	l.env.Dirty = true
	l.env.Say("lessons are told in %s", name)
}

// languageCommands are those that change the language.
func (l *Page) languageCommands() []term.Command {
	var out []term.Command
	for _, name := range l.languages {
		help := fmt.Sprintf("tell the lessons in %s, the loaded one too", name)
		out = append(out, term.Command{Keys: ":lang " + name, Help: help, Do: func() { l.Speak(name) }})
	}
	return out
}
