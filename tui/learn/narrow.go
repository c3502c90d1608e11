package learn

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (l *Page) needsWords() string { return page.Unless(l.words != "", "all lessons are listed") }

// narrow lists only the lessons that have all words.
func (l *Page) narrow(words string) {
	l.words = words
	l.chosen()
	l.env.Dirty = true
}

// Back removes the words, and reports whether there were any.
func (l *Page) Back() bool {
	if l.words == "" {
		return false
	}
	l.narrow("")
	return true
}

// Narrowed implements page.Narrower.
func (l *Page) Narrowed() bool { return l.words != "" }

// DrawNarrow draws the words in the place of the filter of requests.
func (l *Page) DrawNarrow(c *term.Canvas, r term.Rect) {
	note := l.env.T(term.Plural(len(l.Lessons), "lesson"))
	if l.words != "" {
		note = l.env.F("%d of %s shown", len(l.visible()), note)
	}
	l.DrawWords(c, r, l.words, "lessons", note)
}
