package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"kubarium/cells"
)

// PointSign is in the margin of a line that is pointed at.
const PointSign = "▸"

// Point marks w cells of row y of r, from column x of r on: they look like a selected row, and a sign is in the
// nearest blank cell on their left, or in the margin of r.
func (c *Canvas) Point(r Rect, x, y, w int) {
	c.Restyle(Rect{X: r.X + x, Y: r.Y + y, W: min(w, r.W-x), H: 1}, Selected|Same)
	if y < 0 || r.Y+y >= c.h {
		return
	}
	row := c.cells[(r.Y+y)*c.w : (r.Y+y+1)*c.w]
	for at := min(r.X, c.w-1); at >= max(0, r.X-1); at-- {
		if row[at].s == "" || row[at].s == " " {
			row[at] = cell{s: PointSign, st: Warn}
			return
		}
	}
}

// Find returns the first place in r that has a text, counted from r's corner.
func (c *Canvas) Find(r Rect, text string) (x, y int, ok bool) {
	for y := range r.H {
		row, starts := c.rowText(r.Row(y))
		if i := strings.Index(row, text); i >= 0 && text != "" {
			return starts[i], y, true
		}
	}
	return 0, 0, false
}

// CursorRow is the row of r on which the cursor of a list is.
func (c *Canvas) CursorRow(r Rect) (y int, ok bool) {
	for y := range r.H {
		if at := (r.Y + y) * c.w; r.Y+y < c.h && c.cells[at+min(r.X+2, c.w-1)].st&(Selected|Shadowed) != 0 {
			return y, true
		}
	}
	return 0, false
}

// rowText is the text of a row, and the column of each of its bytes.
func (c *Canvas) rowText(r Rect) (text string, column []int) {
	var b strings.Builder
	if r.Y < 0 || r.Y >= c.h {
		return "", nil
	}
	for x := max(0, r.X); x < min(c.w, r.X+r.W); x++ {
		ce := c.cells[r.Y*c.w+x]
		if ce.tail {
			continue
		}
		s := ce.s
		if s == "" {
			s = " "
		}
		for range len(s) {
			column = append(column, x-r.X)
		}
		b.WriteString(s)
	}
	return b.String(), column
}

// MarkSame underlines a value wherever it is a word of its own and means accepts the text before it.
func (c *Canvas) MarkSame(value string, means func(before string, st Style) bool) {
	if value == "" {
		return
	}
	whole := Rect{W: c.w, H: c.h}
	for y := range c.h {
		row, column := c.rowText(whole.Row(y))
		for from := 0; ; {
			i := strings.Index(row[from:], value)
			if i < 0 {
				break
			}
			i += from
			from = i + len(value)
			at := column[i]
			if isWord(row, i, from) && means(row[:i], c.cells[y*c.w+at].st) {
				c.Restyle(Rect{X: at, Y: y, W: cells.Width(value), H: 1}, Same)
			}
		}
	}
}

// isWord reports whether s[from:to] is not a part of a longer name or number.
func isWord(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	part := func(r rune) bool {
		return r == '-' || r == '/' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return !part(before) && before != '.' && before != '#' && !part(after) && after != '%'
}
