package tui

import "fmt"

// words are those that narrow the pane with the keys.
func (o *objectsPage) words() *string {
	switch o.depth {
	case 0:
		return &o.resources.words
	case 1:
		return &o.table.words
	}
	return &o.object.words
}

// narrow shows only what has the words.
func (o *objectsPage) narrow(words string) {
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
	o.u.dirty = true
}

func (o *objectsPage) startNarrow() {
	e := newLineEdit(*o.words())
	o.narrowing, o.before = &e, e.text
}

func (o *objectsPage) typing() bool { return o.narrowing != nil }

// typed handles a key while words are typed; they narrow at once.
func (o *objectsPage) typed(k string) {
	switch k {
	case "enter":
		o.narrowing = nil
	case "esc", "ctrl+c":
		o.narrowing = nil
		o.narrow(o.before)
	case "up":
		o.panes()[o.depth].move(-1)
	case "down":
		o.panes()[o.depth].move(1)
	default:
		if o.narrowing.key(k) {
			o.narrow(o.narrowing.text)
		}
	}
}

func (o *objectsPage) pasted(s string) {
	o.narrowing.insert(s)
	o.narrow(o.narrowing.text)
}

// drawNarrow shows the words where other screens show the filter of requests.
func (o *objectsPage) drawNarrow(c *canvas, r rect) {
	what, shown, all := o.narrowed()
	note := ""
	if all > 0 {
		note = count(shown) + " shown"
		if *o.words() != "" {
			note = fmt.Sprintf("%s of %s shown", count(shown), count(all))
		}
	}
	if o.table.more && o.depth == 1 {
		note += " · the server holds more: go to the end"
	}
	room := r.w - text(sPlain, note).width() - 2
	box := rect{r.x, r.y, room, 1}
	switch words := *o.words(); {
	case o.narrowing != nil:
		o.narrowing.draw(c, box, c.put(r, 1, 0, sKey, "/ "), 0)
	case words != "":
		c.put(r, 1, 0, sKey, "/ ")
		c.put(box, 3, 0, sBold, fit(words, room-3))
	default:
		c.put(r, 1, 0, sDim, "/ ")
		c.put(box, 3, 0, sDim, fit("all "+what+"; words narrow them", room-3))
	}
	c.right(r, r.w-1, 0, sDim, note)
}

// narrowed is what the words narrow, and how much of it is shown.
func (o *objectsPage) narrowed() (what string, shown, all int) {
	switch o.depth {
	case 0:
		for _, r := range o.resources.rows {
			shown += pick(r.r != nil, 1, 0)
		}
		return "resources", shown, len(o.resources.all)
	case 1:
		return "objects", len(o.table.rows), len(o.table.all)
	}
	return "lines", 0, 0
}
