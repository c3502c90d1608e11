package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A rect is a part of the screen in cells. The zero rect is empty: nothing is drawn into it and no click hits it.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

func (r rect) has(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// row is the i-th row of r, empty outside of it.
func (r rect) row(i int) rect {
	if i < 0 || i >= r.h {
		return rect{}
	}
	return rect{r.x, r.y + i, r.w, 1}
}

// from is r without its first n rows.
func (r rect) from(n int) rect { return rect{r.x, r.y + n, r.w, max(0, r.h-n)} }

// inset is r without n columns on its left and right.
func (r rect) inset(n int) rect { return rect{r.x + n, r.y, max(0, r.w-2*n), r.h} }

// A span is text in one style, and a line is what stands beside each other in one row.
type (
	span struct {
		st style
		s  string
	}
	line []span
)

// text makes a line of one span.
func text(st style, s string) line { return line{{st, s}} }

// width is the number of cells that a line takes.
func (l line) width() int {
	n := 0
	for _, s := range l {
		n += ansi.StringWidth(s.s)
	}
	return n
}

// String is the text of a line without its styles.
func (l line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.s)
	}
	return b.String()
}

// A cell is one place on the screen: a grapheme and its style. An empty text is a blank.
type cell struct {
	s    string
	st   style
	tail bool // covered by a wide grapheme on the left
}

// A canvas is the screen while it is drawn. Whatever is put outside of it, or outside of the rect that it is put into,
// is cut, so that no line of a frame can be too long and no pane can run into another.
type canvas struct {
	w, h  int
	cells []cell
}

// reset empties the canvas and gives it a size.
func (c *canvas) reset(w, h int) {
	c.w, c.h = w, h
	if cap(c.cells) < w*h {
		c.cells = make([]cell, w*h)
	}
	c.cells = c.cells[:w*h]
	clear(c.cells)
}

// put writes s at column x of row y within r, both counted from r's corner, and returns the column after it. Control
// characters are shown as dots: text from the wire never reaches the terminal as a command.
func (c *canvas) put(r rect, x, y int, st style, s string) int {
	if y < 0 || y >= r.h || r.y+y < 0 || r.y+y >= c.h {
		return x + ansi.StringWidth(s)
	}
	row := c.cells[(r.y+y)*c.w : (r.y+y+1)*c.w]
	right := min(r.w, c.w-r.x)
	for i := 0; i < len(s); {
		g, w, n := grapheme(s[i:])
		i += n
		if x >= 0 && x+w <= right && r.x+x >= 0 {
			row[r.x+x] = cell{s: g, st: st}
			if w == 2 {
				row[r.x+x+1] = cell{st: st, tail: true}
			}
		}
		x += w
		if x >= right {
			break
		}
	}
	return x
}

// grapheme cuts the first grapheme from s: its text as it may be shown, its width in cells, its length in bytes.
func grapheme(s string) (g string, width, n int) {
	b := s[0]
	if b >= 0x20 && b < 0x7f && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1, 1
	}
	if b < 0x20 || b == 0x7f {
		if b == '\t' {
			return " ", 1, 1
		}
		return "·", 1, 1
	}
	seq, w, n, _ := ansi.DecodeSequence(s, ansi.NormalState, nil)
	if n <= 0 {
		return "·", 1, 1
	}
	if w <= 0 {
		// A C1 control, a byte that is no UTF-8, or a joiner without anything to join.
		return "·", 1, n
	}
	if seq[0] == 0x9b || seq[0] == 0x1b {
		return "·", 1, n
	}
	return seq, min(w, 2), n
}

// line writes a line at row y of r and returns the column after it.
func (c *canvas) line(r rect, x, y int, l line) int {
	for _, s := range l {
		x = c.put(r, x, y, s.st, s.s)
	}
	return x
}

// right writes s so that it ends at column x (exclusive) of row y.
func (c *canvas) right(r rect, x, y int, st style, s string) {
	c.put(r, x-ansi.StringWidth(s), y, st, s)
}

// restyle marks all cells of r with the bits of st, keeping their text and role.
func (c *canvas) restyle(r rect, st style) {
	for y := max(0, r.y); y < min(c.h, r.y+r.h); y++ {
		for x := max(0, r.x); x < min(c.w, r.x+r.w); x++ {
			c.cells[y*c.w+x].st |= st
		}
	}
}

// clear blanks r.
func (c *canvas) clear(r rect) {
	for y := max(0, r.y); y < min(c.h, r.y+r.h); y++ {
		for x := max(0, r.x); x < min(c.w, r.x+r.w); x++ {
			c.cells[y*c.w+x] = cell{}
		}
	}
}

// rule draws a horizontal rule over row y of r, with a title on its left and a note on its right.
func (c *canvas) rule(r rect, y int, st style, title, note line) {
	c.put(r, 0, y, st, strings.Repeat("─", max(0, r.w)))
	if len(title) > 0 {
		x := c.put(r, 1, y, sPlain, " ")
		x = c.line(r, x, y, fitLine(title, r.w-4))
		c.put(r, x, y, sPlain, " ")
	}
	if n := note.width(); n > 0 && n+title.width()+8 < r.w {
		x := c.put(r, r.w-n-3, y, sPlain, " ")
		x = c.line(r, x, y, note)
		c.put(r, x, y, sPlain, " ")
	}
}

// render writes the canvas as lines with escape sequences, one style run at a time, without blanks at the ends.
func (c *canvas) render(t *theme, ascii bool) string {
	var b strings.Builder
	b.Grow(c.w*c.h*2 + 512)
	for y := 0; y < c.h; y++ {
		if y > 0 {
			b.WriteByte('\n')
		}
		c.renderRow(&b, c.cells[y*c.w:(y+1)*c.w], t, ascii)
	}
	return b.String()
}

func (c *canvas) renderRow(b *strings.Builder, row []cell, t *theme, ascii bool) {
	end := len(row)
	for end > 0 && row[end-1].s == "" && !row[end-1].tail && t.sgr(row[end-1].st) == "" {
		end--
	}
	now := ""
	for _, ce := range row[:end] {
		if ce.tail {
			continue
		}
		if want := t.sgr(ce.st); want != now {
			if now != "" {
				b.WriteString("\x1b[0m")
			}
			b.WriteString(want)
			now = want
		}
		switch {
		case ce.s == "":
			b.WriteByte(' ')
		case ascii && ce.s[0] >= 0x80:
			b.WriteString(asciiTwin(ce.s))
		default:
			b.WriteString(ce.s)
		}
	}
	if now != "" {
		b.WriteString("\x1b[0m")
	}
}

// fit cuts s to w cells, with an ellipsis if it was longer.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// fitLine cuts a line to w cells, with an ellipsis if it was longer.
func fitLine(l line, w int) line {
	if l.width() <= w {
		return l
	}
	var out line
	left := w
	for _, s := range l {
		n := ansi.StringWidth(s.s)
		if n > left || (n == left && left < w) {
			return append(out, span{s.st, fit(s.s+"…", left)})
		}
		out = append(out, s)
		left -= n
	}
	return out
}

// wrap breaks text into lines of at most w cells, at blanks where it can.
func wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(s, w, ""), "\n")
}

// wrapLines is wrap with a style.
func wrapLines(st style, s string, w int) []line {
	var out []line
	for _, l := range wrap(s, w) {
		out = append(out, text(st, l))
	}
	return out
}
