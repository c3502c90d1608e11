package term

import (
	"slices"
	"strings"
)

// An Overlay lies over the screen and has all keys until it closes itself.
type Overlay interface {
	Key(h Host, k string)
	Draw(c *Canvas, screen Rect)
}

// A Host is what an overlay lies over.
type Host interface {
	CloseOver()                     // takes the overlay away
	Say(format string, args ...any) // shows a line for some seconds
}

// A Menu asks for one of a few keys.
type Menu struct {
	Title string
	Text  []string
	Items []Item
}

// An Item is what a menu offers under a key.
type Item struct {
	Key, Label string
	Off        string // why it cannot be chosen; "" says that it can
	Do         func()
}

// Key does what the item of a key says.
func (m *Menu) Key(h Host, k string) {
	if k == "esc" || k == "q" && !slices.ContainsFunc(m.Items, func(i Item) bool { return i.Key == "q" }) {
		h.CloseOver()
		return
	}
	for _, i := range m.Items {
		if i.Key != k {
			continue
		}
		if i.Off != "" {
			h.Say("%s: %s", i.Label, i.Off)
			return
		}
		h.CloseOver()
		i.Do()
		return
	}
}

// Draw shows the text and the items in a box.
func (m *Menu) Draw(c *Canvas, screen Rect) {
	var lines []Line
	for _, s := range m.Text {
		lines = append(lines, Text(Plain, s))
	}
	if len(m.Text) > 0 {
		lines = append(lines, nil)
	}
	for _, i := range m.Items {
		st := Plain
		label := i.Label
		if i.Off != "" {
			st, label = Dim, label+"  ("+i.Off+")"
		}
		lines = append(lines, Line{{Key, Pad(KeyName(i.Key), 6)}, {st, label}})
	}
	lines = append(lines, Line{{Key, Pad("esc", 6)}, {Dim, "close"}})
	Box(c, screen, m.Title, lines, 0)
}

// A Reader shows lines that can be scrolled.
type Reader struct {
	Title string
	Lines func(w int) []Line
	view  Viewport
}

// Height is how many lines are visible.
func (d *Reader) Height() int { return d.view.Height() }

// Move scrolls by some lines.
func (d *Reader) Move(n int) { d.view.Move(n) }

// End goes to the first line, or to the last.
func (d *Reader) End(bottom bool) { d.view.End(bottom) }

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

// Draw shows the lines that fit in a box.
func (d *Reader) Draw(c *Canvas, screen Rect) {
	w := min(screen.W-4, 100)
	d.view.Lines = d.Lines(w - 4)
	shown := d.view.visible(screen.H - 4)
	note := d.Title
	if len(shown) < len(d.view.Lines) {
		note += "  (j k scroll)"
	}
	Box(c, screen, note, shown, w)
}

// A Picker lists commands, narrows them as one types, and runs the chosen one.
type Picker struct {
	Title string
	edit  LineEdit
	All   []Command
	Also  func(typed string) []Command // further commands that the words mean; nil for none
	list  List[int]
}

// A Command is a line of a picker.
type Command struct {
	Keys string
	Help string
	Off  string // why it cannot be run now
	Do   func()
}

// Height is how many commands are visible.
func (p *Picker) Height() int { return p.list.Height() }

// Move chooses another command.
func (p *Picker) Move(n int) {
	p.matches()
	p.list.Move(n)
}

// End chooses the first command, or the last.
func (p *Picker) End(bottom bool) {
	p.matches()
	p.list.End(bottom)
}

// matches are the commands that fit what was typed, the best first; the list is one of them.
func (p *Picker) matches() []Command {
	all := p.All
	if p.Also != nil && strings.TrimSpace(p.edit.Text) != "" {
		all = append(slices.Clip(all), p.Also(p.edit.Text)...)
	}
	found := ranked(all, p.edit.Text)
	p.list.Keep(len(found), nil)
	return found
}

// Key narrows the commands, moves among them, or runs the chosen one.
func (p *Picker) Key(h Host, k string) {
	found := p.matches()
	switch k {
	case "esc":
		h.CloseOver()
	case "ctrl+p":
		p.Move(-1)
	case "ctrl+n", "tab":
		p.Move(1)
	case "up", "down", "pgup", "pgdown":
		MoveBy(p, k)
	case "enter":
		i := p.list.At()
		if i < 0 {
			return
		}
		c := found[i]
		h.CloseOver()
		if c.Off != "" {
			h.Say("%s: %s", c.Keys, c.Off)
			return
		}
		c.Do()
	default:
		if p.edit.Key(k) {
			p.list = List[int]{}
		}
	}
}

// Draw shows what was typed and the commands that have it.
func (p *Picker) Draw(c *Canvas, screen Rect) {
	w := min(screen.W-4, 84)
	found := p.matches()
	from, to := p.list.Range(max(1, min(len(found), screen.H-6)))
	keys := 0
	for _, m := range p.All {
		keys = max(keys, Text(Plain, m.Keys).Width())
	}
	keys = min(keys, 16)
	lines := []Line{{{Key, "> "}, {Plain, p.edit.Text}, {Mode, " "}}}
	for i := from; i < to; i++ {
		m := found[i]
		st, help := Plain, m.Help
		if m.Off != "" {
			st, help = Dim, help+"  ("+m.Off+")"
		}
		l := Line{{Key, Pad(Fit(m.Keys, keys), keys+2)}, {st, help}}
		if i == p.list.At() {
			l = Mark(l, w-4)
		}
		lines = append(lines, l)
	}
	if len(found) == 0 {
		lines = append(lines, Text(Dim, "no match; esc closes"))
	}
	Box(c, screen, p.Title, lines, w)
}

// Mark makes a line the chosen one, over the whole width.
func Mark(l Line, w int) Line {
	out := Line{{Plain | Selected, ""}}
	n := 0
	for _, s := range FitLine(l, w) {
		out = append(out, Span{s.St | Selected, s.Text})
		n += Text(Plain, s.Text).Width()
	}
	return append(out, Span{Selected, strings.Repeat(" ", max(0, w-n))})
}

// Box draws lines in a frame amid the screen. A width of 0 takes that of the lines.
func Box(c *Canvas, screen Rect, title string, lines []Line, w int) {
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
}

// KeyName is how a key is written on the screen.
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

// KeyNames are several keys as they are written on the screen.
func KeyNames(ks []string) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = KeyName(k)
	}
	return strings.Join(names, " ")
}
