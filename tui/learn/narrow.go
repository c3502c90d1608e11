package learn

import (
	"fmt"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (l *Page) needsWords() string { return page.Unless(l.words != "", "all lessons are listed") }

func (l *Page) startNarrow() {
	e := term.NewLineEdit(l.words)
	l.narrowing, l.before = &e, e.Text
}

// narrow lists only the lessons that have all words.
func (l *Page) narrow(words string) {
	l.words = words
	l.chosen()
	l.env.Dirty = true
}

// Typing reports whether words are being typed.
func (l *Page) Typing() bool { return l.narrowing != nil }

// Typed handles a key while the words are typed; they narrow the list at once.
func (l *Page) Typed(k string) {
	switch k {
	case "enter":
		l.narrowing = nil
	case "esc", "ctrl+c":
		l.narrowing = nil
		l.narrow(l.before)
	case "up":
		l.Move(-1)
	case "down":
		l.Move(1)
	default:
		if l.narrowing.Key(k) {
			l.narrow(l.narrowing.Text)
		}
	}
}

// Pasted inserts pasted text into the words.
func (l *Page) Pasted(s string) {
	l.narrowing.Insert(s)
	l.narrow(l.narrowing.Text)
}

// Back removes the words, and reports whether there were any.
func (l *Page) Back() bool {
	if l.words == "" {
		return false
	}
	l.narrow("")
	return true
}

// DrawNarrow draws the words in the place of the filter of requests.
func (l *Page) DrawNarrow(c *term.Canvas, r term.Rect) {
	note := term.Plural(len(l.Lessons), "lesson")
	if l.words != "" {
		note = fmt.Sprintf("%d of %s shown", len(l.visible()), note)
	}
	room := r.W - term.Text(term.Plain, note).Width() - 2
	box := term.Rect{X: r.X, Y: r.Y, W: room, H: 1}
	switch {
	case l.narrowing != nil:
		l.narrowing.Draw(c, box, c.Put(r, 1, 0, term.Key, "/ "), 0)
	case l.words != "":
		c.Put(r, 1, 0, term.Key, "/ ")
		c.Put(box, 3, 0, term.Bold, term.Fit(l.words, room-3))
	default:
		c.Put(r, 1, 0, term.Dim, "/ ")
		c.Put(box, 3, 0, term.Dim, term.Fit("all lessons; words narrow them", room-3))
	}
	c.Right(r, r.W-1, 0, term.Dim, note)
}
