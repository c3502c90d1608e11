package tui

import (
	"slices"
	"strings"
)

// An overlay lies over the screen and has all keys until it closes itself.
type overlay interface {
	key(h host, k string)
	draw(c *canvas, screen rect)
}

// A host is what an overlay lies over.
type host interface {
	closeOver()                     // takes the overlay away
	say(format string, args ...any) // shows a line for some seconds
}

// A menu asks for one of a few keys.
type menu struct {
	title string
	text  []string
	items []item
}

type item struct {
	key, label string
	off        string // why it cannot be chosen; "" says that it can
	do         func()
}

func (m *menu) key(h host, k string) {
	if k == "esc" || k == "q" && !slices.ContainsFunc(m.items, func(i item) bool { return i.key == "q" }) {
		h.closeOver()
		return
	}
	for _, i := range m.items {
		if i.key != k {
			continue
		}
		if i.off != "" {
			h.say("%s: %s", i.label, i.off)
			return
		}
		h.closeOver()
		i.do()
		return
	}
}

func (m *menu) draw(c *canvas, screen rect) {
	var lines []line
	for _, s := range m.text {
		lines = append(lines, text(sPlain, s))
	}
	if len(m.text) > 0 {
		lines = append(lines, nil)
	}
	for _, i := range m.items {
		st := sPlain
		label := i.label
		if i.off != "" {
			st, label = sDim, label+"  ("+i.off+")"
		}
		lines = append(lines, line{{sKey, pad(keyName(i.key), 6)}, {st, label}})
	}
	lines = append(lines, line{{sKey, pad("esc", 6)}, {sDim, "close"}})
	box(c, screen, m.title, lines, 0)
}

// A reader shows lines that can be scrolled.
type reader struct {
	title string
	lines func(w int) []line
	top   int
}

func (d *reader) key(h host, k string) {
	switch k {
	case "j", "down":
		d.top++
	case "k", "up":
		d.top--
	case "ctrl+d", "pgdown", "space":
		d.top += 10
	case "ctrl+u", "pgup":
		d.top -= 10
	case "g", "home":
		d.top = 0
	case "G", "end":
		d.top = 1 << 30
	case "esc", "q", "enter", "e", "!", "d":
		h.closeOver()
	}
}

func (d *reader) draw(c *canvas, screen rect) {
	w := min(screen.w-4, 100)
	lines := d.lines(w - 4)
	tall := min(len(lines), screen.h-4)
	d.top = max(0, min(d.top, len(lines)-tall))
	note := d.title
	if tall < len(lines) {
		note += "  (j k scroll)"
	}
	box(c, screen, note, lines[d.top:d.top+tall], w)
}

// A picker lists commands, narrows them as one types, and runs the chosen one.
type picker struct {
	title  string
	edit   lineEdit
	all    []command
	cursor int
}

// A command is a line of a picker.
type command struct {
	keys string
	help string
	off  string // why it cannot be run now
	do   func()
}

func (p *picker) matches() []command {
	var out []command
	for _, c := range p.all {
		if fuzzy(strings.ToLower(p.edit.text), strings.ToLower(c.keys+" "+c.help)) {
			out = append(out, c)
		}
	}
	return out
}

// fuzzy reports whether all words of want are in s, or all its letters in their order.
func fuzzy(want, s string) bool {
	words := strings.Fields(want)
	all := true
	for _, w := range words {
		all = all && strings.Contains(s, w)
	}
	if all {
		return true
	}
	letters := []rune(strings.Join(words, ""))
	for _, r := range s {
		if len(letters) > 0 && r == letters[0] {
			letters = letters[1:]
		}
	}
	return len(letters) == 0
}

func (p *picker) key(h host, k string) {
	found := p.matches()
	switch k {
	case "esc":
		h.closeOver()
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
		h.closeOver()
		if c.off != "" {
			h.say("%s: %s", c.keys, c.off)
			return
		}
		c.do()
	default:
		if p.edit.key(k) {
			p.cursor = 0
		}
	}
}

func (p *picker) draw(c *canvas, screen rect) {
	w := min(screen.w-4, 84)
	found := p.matches()
	tall := max(1, min(len(found), screen.h-6))
	p.cursor = max(0, min(p.cursor, len(found)-1))
	top := max(0, p.cursor-tall+1)
	keys := 0
	for _, m := range p.all {
		keys = max(keys, text(sPlain, m.keys).width())
	}
	keys = min(keys, 16)
	lines := []line{{{sKey, "> "}, {sPlain, p.edit.text}, {sMode, " "}}}
	for i := top; i < min(len(found), top+tall); i++ {
		m := found[i]
		st, help := sPlain, m.help
		if m.off != "" {
			st, help = sDim, help+"  ("+m.off+")"
		}
		l := line{{sKey, pad(fit(m.keys, keys), keys+2)}, {st, help}}
		if i == p.cursor {
			l = mark(l, w-4)
		}
		lines = append(lines, l)
	}
	if len(found) == 0 {
		lines = append(lines, text(sDim, "nothing fits; esc closes"))
	}
	box(c, screen, p.title, lines, w)
}

// mark makes a line the chosen one, over the whole width.
func mark(l line, w int) line {
	out := line{{sPlain | selected, ""}}
	n := 0
	for _, s := range fitLine(l, w) {
		out = append(out, span{s.st | selected, s.s})
		n += text(sPlain, s.s).width()
	}
	return append(out, span{selected, strings.Repeat(" ", max(0, w-n))})
}

// box draws lines in a frame amid the screen. A width of 0 takes that of the lines.
func box(c *canvas, screen rect, title string, lines []line, w int) {
	if w == 0 {
		w = text(sPlain, title).width() + 8
		for _, l := range lines {
			w = max(w, l.width()+4)
		}
	}
	w = min(w, screen.w)
	h := min(len(lines)+2, screen.h)
	r := rect{screen.x + (screen.w-w)/2, screen.y + (screen.h-h)/2, w, h}
	c.clear(r)
	c.put(r, 0, 0, sBorder, "┌"+strings.Repeat("─", max(0, w-2))+"┐")
	c.put(r, 2, 0, sBold, " "+fit(title, w-6)+" ")
	for y := 1; y < h-1; y++ {
		c.put(r, 0, y, sBorder, "│")
		c.line(rect{r.x + 2, r.y, w - 4, h}, 0, y, lines[y-1])
		c.put(r, w-1, y, sBorder, "│")
	}
	c.put(r, 0, h-1, sBorder, "└"+strings.Repeat("─", max(0, w-2))+"┘")
}

// keyName is how a key is written on the screen.
func keyName(k string) string {
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

func keyNames(ks []string) string {
	names := make([]string, len(ks))
	for i, k := range ks {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
}
