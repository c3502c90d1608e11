package objects

import (
	"fmt"

	"kubarium/tui/term"
)

// words are the words that narrow the present pane.
func (o *Page) words() *string {
	switch o.depth {
	case 0:
		return &o.resources.words
	case 1:
		return &o.table.words
	}
	return &o.Object.words
}

// narrow shows only what has the words.
func (o *Page) narrow(words string) {
	*o.words() = words
	switch o.depth {
	case 0:
		o.resources.arrange()
		o.resourceMoved()
		if words != "" {
			o.resources.seek()
		}
	case 1:
		o.table.arrange()
		o.objectMoved()
	}
	o.env.Dirty = true
}

func (o *Page) startNarrow() {
	e := term.NewLineEdit(*o.words())
	o.narrowing, o.before = &e, e.Text
}

// Typing reports whether words are being typed.
func (o *Page) Typing() bool { return o.narrowing != nil }

// Typed handles a key while words are typed; they narrow at once.
func (o *Page) Typed(k string) {
	switch k {
	case "enter":
		o.narrowing = nil
	case "esc", "ctrl+c":
		o.narrowing = nil
		o.narrow(o.before)
	case "up":
		o.Panes()[o.depth].Move(-1)
	case "down":
		o.Panes()[o.depth].Move(1)
	default:
		if o.narrowing.Key(k) {
			o.narrow(o.narrowing.Text)
		}
	}
}

// Pasted inserts text into the words, which narrow at once.
func (o *Page) Pasted(s string) {
	o.narrowing.Insert(s)
	o.narrow(o.narrowing.Text)
}

// DrawNarrow draws the words in the place of the filter of requests.
func (o *Page) DrawNarrow(c *term.Canvas, r term.Rect) {
	what, shown, all := o.narrowed()
	note := ""
	if all > 0 {
		note = term.Count(shown) + " shown"
		if *o.words() != "" {
			note = fmt.Sprintf("%s of %s shown", term.Count(shown), term.Count(all))
		}
	}
	if o.table.more && o.depth == 1 {
		note += " · the server holds more: go to the end"
	}
	room := r.W - term.Text(term.Plain, note).Width() - 2
	box := term.Rect{X: r.X, Y: r.Y, W: room, H: 1}
	switch words := *o.words(); {
	case o.narrowing != nil:
		o.narrowing.Draw(c, box, c.Put(r, 1, 0, term.Key, "/ "), 0)
	case words != "":
		c.Put(r, 1, 0, term.Key, "/ ")
		c.Put(box, 3, 0, term.Bold, term.Fit(words, room-3))
	default:
		c.Put(r, 1, 0, term.Dim, "/ ")
		c.Put(box, 3, 0, term.Dim, term.Fit("all "+what+"; words narrow them", room-3))
	}
	c.Right(r, r.W-1, 0, term.Dim, note)
}

// narrowed returns what the words narrow, and how much of it is shown.
func (o *Page) narrowed() (what string, shown, all int) {
	switch o.depth {
	case 0:
		for _, r := range o.resources.rows {
			shown += term.Pick(r.r != nil, 1, 0)
		}
		return "resources", shown, len(o.resources.all)
	case 1:
		return "objects", len(o.table.rows), len(o.table.all)
	}
	return "lines", 0, 0
}
