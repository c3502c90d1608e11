package term

import (
	"slices"
	"strings"
)

// An Overlay covers the screen and gets all keys until it closes itself.
type Overlay interface {
	Key(h Host, k string)
	Draw(c *Canvas, screen Rect)
}

// A Clicker is an overlay that handles clicks.
type Clicker interface{ Click(h Host, x, y int) }

// A Host is the screen below an overlay.
type Host interface {
	CloseOver()                     // removes the overlay
	Say(format string, args ...any) // shows a line for some seconds
}

// A Menu asks for one of a few keys.
type Menu struct {
	Title string
	Text  []string
	Items []Item
	items Rect // where they were drawn last
}

// An Item is an entry of a menu with its key.
type Item struct {
	Key, Label string
	Off        string // why it cannot be chosen; "" if it can
	Stays      bool   // the menu stays open
	Do         func()
}

// Key runs the item of a key.
func (m *Menu) Key(h Host, k string) {
	if k == "esc" || k == "q" && !slices.ContainsFunc(m.Items, func(i Item) bool { return i.Key == "q" }) {
		h.CloseOver()
		return
	}
	choose(h, m.Items, k)
}

// Click runs the item at a place.
func (m *Menu) Click(h Host, x, y int) { clickItem(h, m, m.Items, m.items, x, y) }

// choose runs the item of a key, and reports whether there is one.
func choose(h Host, items []Item, k string) bool {
	for _, i := range items {
		if i.Key != k {
			continue
		}
		if i.Off != "" {
			h.Say("%s: %s", i.Label, i.Off)
			return true
		}
		if !i.Stays {
			h.CloseOver()
		}
		i.Do()
		return true
	}
	return false
}

// clickItem presses the key of the item at a place; the line after the last item is esc.
func clickItem(h Host, o Overlay, items []Item, at Rect, x, y int) {
	if !at.Has(x, y) {
		return
	}
	if i := y - at.Y; i < len(items) {
		o.Key(h, items[i].Key)
		return
	}
	o.Key(h, "esc")
}

// itemLines are the items with their keys, followed by esc.
func (c *Canvas) itemLines(items []Item, esc string) []Line {
	var lines []Line
	for _, i := range items {
		st, label := Plain, c.Words.T(i.Label)
		if i.Off != "" {
			st, label = Dim, label+"  ("+c.Words.T(i.Off)+")"
		}
		lines = append(lines, Line{{Key, Pad(KeyName(i.Key), 6)}, {st, label}})
	}
	return append(lines, Line{{Key, Pad("esc", 6)}, {Dim, c.Words.T(esc)}})
}

// Draw draws the text and the items in a box.
func (m *Menu) Draw(c *Canvas, screen Rect) {
	var lines []Line
	for _, s := range m.Text {
		lines = append(lines, Text(Plain, c.Words.T(s)))
	}
	if len(m.Text) > 0 {
		lines = append(lines, nil)
	}
	above := len(lines)
	items := c.itemLines(m.Items, "close")
	r := Box(c, screen, c.Words.T(m.Title), append(lines, items...), 0)
	m.items = Rect{r.X, r.Y + 1 + above, r.W, len(items)}
}

// A Reader shows lines that can be scrolled.
type Reader struct {
	Title string
	Lines func(w int) []Line
	scrolled
}

// Key scrolls, or closes the reader.
func (d *Reader) Key(h Host, k string) {
	switch k {
	case "space":
		MoveBy(d, "pgdown")
	case "esc", "q", "enter", "e", "!", "d":
		h.CloseOver()
	default:
		MoveBy(d, k)
	}
}

// Draw draws the lines that fit in a box.
func (d *Reader) Draw(c *Canvas, screen Rect) {
	w := min(screen.W-4, 100)
	d.view.Lines = d.Lines(w - 4)
	shown := d.view.visible(screen.H - 4)
	note := c.Words.T(d.Title)
	if len(shown) < len(d.view.Lines) {
		note += c.Words.T("  (j k scroll)")
	}
	r := Box(c, screen, note, shown, w)
	if more := len(d.view.Lines) - d.view.Top - len(shown); more > 0 {
		c.Right(r, r.W-2, r.H-1, Dim, moreText(more)+" ")
	}
}

// Mark highlights a line over the whole width.
func Mark(l Line, w int) Line {
	out := Line{{Plain | Selected, ""}}
	n := 0
	for _, s := range FitLine(l, w) {
		out = append(out, Span{s.St | Selected, s.Text})
		n += Text(Plain, s.Text).Width()
	}
	return append(out, Span{Selected, strings.Repeat(" ", max(0, w-n))})
}

// Box draws lines in a frame in the middle of the screen, and returns its place. A width of 0 means that of the lines.
func Box(c *Canvas, screen Rect, title string, lines []Line, w int) Rect {
	if w == 0 {
		w = Text(Plain, title).Width() + 8
		for _, l := range lines {
			w = max(w, l.Width()+4)
		}
	}
	w = min(w, screen.W)
	h := min(len(lines)+2, screen.H)
	r := Rect{screen.X + (screen.W-w)/2, screen.Y + (screen.H-h)/2, w, h}
	c.clear(r)
	c.Put(r, 0, 0, Border, "┌"+strings.Repeat("─", max(0, w-2))+"┐")
	c.Put(r, 2, 0, Bold, " "+Fit(title, w-6)+" ")
	for y := 1; y < h-1; y++ {
		c.Put(r, 0, y, Border, "│")
		c.Line(Rect{r.X + 2, r.Y, w - 4, h}, 0, y, lines[y-1])
		c.Put(r, w-1, y, Border, "│")
	}
	c.Put(r, 0, h-1, Border, "└"+strings.Repeat("─", max(0, w-2))+"┘")
	return r
}

// KeyName returns a key as the screen shows it.
func KeyName(k string) string {
	if rest, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return "^" + rest
	}
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "shift+tab":
		return "S-tab"
	}
	return k
}

// KeyNames returns several keys as the screen shows them.
func KeyNames(ks []string) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = KeyName(k)
	}
	return strings.Join(names, " ")
}
