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

type Item struct {
	Key, Label string
	Off        string // why it cannot be chosen; "" says that it can
	Do         func()
}

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
	Top   int
}

func (d *Reader) Key(h Host, k string) {
	switch k {
	case "j", "down":
		d.Top++
	case "k", "up":
		d.Top--
	case "ctrl+d", "pgdown", "space":
		d.Top += 10
	case "ctrl+u", "pgup":
		d.Top -= 10
	case "g", "home":
		d.Top = 0
	case "G", "end":
		d.Top = 1 << 30
	case "esc", "q", "enter", "e", "!", "d":
		h.CloseOver()
	}
}

func (d *Reader) Draw(c *Canvas, screen Rect) {
	w := min(screen.W-4, 100)
	lines := d.Lines(w - 4)
	tall := min(len(lines), screen.H-4)
	d.Top = max(0, min(d.Top, len(lines)-tall))
	note := d.Title
	if tall < len(lines) {
		note += "  (j k scroll)"
	}
	Box(c, screen, note, lines[d.Top:d.Top+tall], w)
}

// A Picker lists commands, narrows them as one types, and runs the chosen one.
type Picker struct {
	Title  string
	edit   LineEdit
	All    []Command
	cursor int
}

// A Command is a line of a picker.
type Command struct {
	Keys string
	Help string
	Off  string // why it cannot be run now
	Do   func()
}

func (p *Picker) matches() []Command { return ranked(p.All, p.edit.Text) }

func (p *Picker) Key(h Host, k string) {
	found := p.matches()
	switch k {
	case "esc":
		h.CloseOver()
	case "up", "ctrl+p":
		p.cursor = max(0, p.cursor-1)
	case "down", "ctrl+n", "tab":
		p.cursor = min(p.cursor+1, len(found)-1)
	case "pgdown":
		p.cursor = min(p.cursor+10, len(found)-1)
	case "pgup":
		p.cursor = max(0, p.cursor-10)
	case "enter":
		if len(found) == 0 {
			return
		}
		c := found[max(0, p.cursor)]
		h.CloseOver()
		if c.Off != "" {
			h.Say("%s: %s", c.Keys, c.Off)
			return
		}
		c.Do()
	default:
		if p.edit.Key(k) {
			p.cursor = 0
		}
	}
}

func (p *Picker) Draw(c *Canvas, screen Rect) {
	w := min(screen.W-4, 84)
	found := p.matches()
	tall := max(1, min(len(found), screen.H-6))
	p.cursor = max(0, min(p.cursor, len(found)-1))
	top := max(0, p.cursor-tall+1)
	keys := 0
	for _, m := range p.All {
		keys = max(keys, Text(Plain, m.Keys).Width())
	}
	keys = min(keys, 16)
	lines := []Line{{{Key, "> "}, {Plain, p.edit.Text}, {Mode, " "}}}
	for i := top; i < min(len(found), top+tall); i++ {
		m := found[i]
		st, help := Plain, m.Help
		if m.Off != "" {
			st, help = Dim, help+"  ("+m.Off+")"
		}
		l := Line{{Key, Pad(Fit(m.Keys, keys), keys+2)}, {st, help}}
		if i == p.cursor {
			l = Mark(l, w-4)
		}
		lines = append(lines, l)
	}
	if len(found) == 0 {
		lines = append(lines, Text(Dim, "nothing fits; esc closes"))
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

func KeyNames(ks []string) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = KeyName(k)
	}
	return strings.Join(names, " ")
}
