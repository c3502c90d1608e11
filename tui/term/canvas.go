package term

import (
	"strings"
	"unicode/utf8"

	"kubarium/cells"
	"kubarium/scenarios/words"
)

// A Rect is a part of the screen in cells. The zero Rect is empty: nothing is drawn into it, and no click is in it.
type Rect struct{ X, Y, W, H int }

// Empty reports whether nothing can be drawn into r.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Has reports whether a cell of the screen is in r.
func (r Rect) Has(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Row returns the i-th row of r, an empty Rect outside of it.
func (r Rect) Row(i int) Rect {
	if i < 0 || i >= r.H {
		return Rect{}
	}
	return Rect{r.X, r.Y + i, r.W, 1}
}

// From returns r without its first n rows.
func (r Rect) From(n int) Rect { return Rect{r.X, r.Y + n, r.W, max(0, r.H-n)} }

// Inset returns r without n columns on its left and right.
func (r Rect) Inset(n int) Rect { return Rect{r.X + n, r.Y, max(0, r.W-2*n), r.H} }

// A Span is text in one style, and a Line is one row of spans.
type (
	Span struct {
		St   Style
		Text string
	}
	Line []Span
)

// Of returns a span with this style.
func (s Style) Of(text string) Span { return Span{s, text} }

// Text returns a line of one span.
func Text(st Style, s string) Line { return Line{{st, s}} }

// Width returns the number of cells of a line.
func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += cells.Width(s.Text)
	}
	return n
}

// String returns the text of a line without its styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// In returns a line with its sentences in another language. What has no blank in it stays: it may be a name.
func (l Line) In(w *words.Words) Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = Span{s.St, w.Sentence(s.Text)}
	}
	return out
}

// A cell is one cell of the screen: a grapheme and its style. An empty text is a blank.
type cell struct {
	s    string
	st   Style
	tail bool // covered by a wide grapheme on the left
}

// A Canvas is the screen while it is drawn. Drawing outside of it, or outside of the Rect of a call, is clipped, so
// that no line of a frame is too long and no pane overwrites another.
type Canvas struct {
	Words *words.Words // the language of what is drawn; nil is English

	w, h  int
	cells []cell
}

// Reset empties the canvas and gives it a size.
func (c *Canvas) Reset(w, h int) {
	c.w, c.h = w, h
	if cap(c.cells) < w*h {
		c.cells = make([]cell, w*h)
	}
	c.cells = c.cells[:w*h]
	clear(c.cells)
}

// Put writes s at column x of row y within r, both counted from r's corner, and returns the column after it. Control
// characters are shown as dots: text from the wire never reaches the terminal as a command.
func (c *Canvas) Put(r Rect, x, y int, st Style, s string) int {
	if y < 0 || y >= r.H || r.Y+y < 0 || r.Y+y >= c.h {
		return x + cells.Width(s)
	}
	row := c.cells[(r.Y+y)*c.w : (r.Y+y+1)*c.w]
	right := min(r.W, c.w-r.X)
	for i := 0; i < len(s); {
		g, w, n := cells.Next(s[i:])
		i += n
		if x >= 0 && x+w <= right && r.X+x >= 0 {
			part(row, r.X+x)
			part(row, r.X+x+w)
			row[r.X+x] = cell{s: g, st: st}
			if w == 2 {
				row[r.X+x+1] = cell{st: st, tail: true}
			}
		}
		x += w
		if x >= right {
			break
		}
	}
	return x
}

// part blanks a wide character across a column when one half is about to be overwritten.
func part(row []cell, x int) {
	if x < len(row) && row[x].tail {
		row[x-1].s, row[x].tail = "", false
	}
}

// Line writes a line at row y of r and returns the column after it.
func (c *Canvas) Line(r Rect, x, y int, l Line) int {
	for _, s := range l {
		x = c.Put(r, x, y, s.St, s.Text)
	}
	return x
}

// Right writes s so that it ends at column x (exclusive) of row y.
func (c *Canvas) Right(r Rect, x, y int, st Style, s string) {
	c.Put(r, x-cells.Width(s), y, st, s)
}

// Restyle adds the bits of st to all cells of r, keeping their text and role.
func (c *Canvas) Restyle(r Rect, st Style) {
	for y := max(0, r.Y); y < min(c.h, r.Y+r.H); y++ {
		for x := max(0, r.X); x < min(c.w, r.X+r.W); x++ {
			c.cells[y*c.w+x].st |= st
		}
	}
}

// clear blanks r.
func (c *Canvas) clear(r Rect) {
	for y := max(0, r.Y); y < min(c.h, r.Y+r.H); y++ {
		row := c.cells[y*c.w : (y+1)*c.w]
		part(row, max(0, r.X))
		part(row, max(0, r.X+r.W))
		for x := max(0, r.X); x < min(c.w, r.X+r.W); x++ {
			row[x] = cell{}
		}
	}
}

// Rule draws a horizontal rule in row y of r, with a title on its left and a note on its right.
func (c *Canvas) Rule(r Rect, y int, st Style, title, note Line) {
	c.Put(r, 0, y, st, strings.Repeat("─", max(0, r.W)))
	if len(title) > 0 {
		x := c.Put(r, 1, y, Plain, " ")
		x = c.Line(r, x, y, FitLine(title, r.W-4))
		c.Put(r, x, y, Plain, " ")
	}
	if n := note.Width(); n > 0 && n+title.Width()+8 < r.W {
		x := c.Put(r, r.W-n-3, y, Plain, " ")
		x = c.Line(r, x, y, note)
		c.Put(r, x, y, Plain, " ")
	}
}

// Render returns the canvas as lines with escape sequences, one for each run of a style, without trailing blanks.
func (c *Canvas) Render(t *Theme, set Charset) string {
	var b strings.Builder
	b.Grow(c.w*c.h*2 + 512)
	for y := 0; y < c.h; y++ {
		if y > 0 {
			b.WriteByte('\n')
		}
		c.renderRow(&b, c.cells[y*c.w:(y+1)*c.w], t, set)
	}
	return b.String()
}

func (c *Canvas) renderRow(b *strings.Builder, row []cell, t *Theme, set Charset) {
	end := len(row)
	for end > 0 && row[end-1].s == "" && !row[end-1].tail && t.sgr(row[end-1].st) == "" {
		end--
	}
	now := ""
	for x, ce := range row[:end] {
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
		case set != AllGlyphs && ce.s[0] >= utf8.RuneSelf:
			b.WriteString(set.shown(ce.s, x))
		default:
			b.WriteString(ce.s)
		}
	}
	if now != "" {
		b.WriteString("\x1b[0m")
	}
}

// Fit cuts s to w cells, with an ellipsis if it is longer.
func Fit(s string, w int) string { return cells.Fit(s, w) }

// FitLine cuts a line to w cells, with an ellipsis if it is longer.
func FitLine(l Line, w int) Line {
	if l.Width() <= w {
		return l
	}
	var out Line
	left := w
	for _, s := range l {
		n := cells.Width(s.Text)
		if n > left || (n == left && left < w) {
			return append(out, Span{s.St, Fit(s.Text+"…", left)})
		}
		out = append(out, s)
		left -= n
	}
	return out
}

// Wrap breaks text into lines of at most w cells, where its script allows breaks.
func Wrap(s string, w int) []string { return cells.Wrap(s, w) }

// WrapLines is Wrap with a style.
func WrapLines(st Style, s string, w int) []Line {
	var out []Line
	for _, l := range Wrap(s, w) {
		out = append(out, Text(st, l))
	}
	return out
}
