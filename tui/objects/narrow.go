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
		o.table.narrowed()
		o.objectMoved()
	}
	o.env.Dirty = true
}

// Narrowed implements page.Narrower.
func (o *Page) Narrowed() bool { return *o.words() != "" }

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
	if o.depth == 1 && o.table.more {
		note = o.table.extent()
	}
	o.DrawWords(c, r, *o.words(), what, note)
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
