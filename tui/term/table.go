package term

import "strings"

// AsShown is the width of a column that is as wide as what stands in it.
const AsShown = -1

// A TableColumn describes a column of a table, and what stands in it in a row.
type TableColumn[R any] struct {
	Name  string
	Width int  // in cells; AsShown; or 0 for what the other columns leave
	Least int  // the least width of a column that takes what is left
	From  int  // the width of the table from which on there is the column
	Right bool // what stands in it ends at its right edge

	Cell  func(row R) Span        // its text, which is cut if it is too long
	Cells func(row R, w int) Line // instead of Cell, for text in several styles that fits w cells
}

// A Table is the columns that there is room for, each with its width.
type Table[R any] struct {
	cols []plannedColumn[R]
	gap  int
}

type plannedColumn[R any] struct {
	TableColumn[R]
	w int
}

// PlanTable chooses the columns for w cells, with a gap behind each. The rows are those that are visible: columns that are as wide as
// what stands in them are measured by these, and the widest of them is narrowed where there is not enough room.
func PlanTable[R any](w, gap int, cols []TableColumn[R], rows []R) Table[R] {
	t := Table[R]{gap: gap}
	for _, c := range cols {
		if w >= c.From {
			t.cols = append(t.cols, plannedColumn[R]{c, c.width(rows)})
		}
	}
	t.narrow(t.Width() - w)
	t.spread(w - t.Width())
	return t
}

// width is what a column takes by itself.
func (c *TableColumn[R]) width(rows []R) int {
	if c.Width != AsShown {
		return c.Width
	}
	n := Text(Plain, c.Name).Width()
	for _, r := range rows {
		n = max(n, Text(Plain, c.Cell(r).Text).Width())
	}
	return n
}

// leastShown is how narrow a column can become that is as wide as what stands in it.
const leastShown = 12

// narrow takes so many cells from the columns, each from the one that is the widest then, as far as they can spare them.
func (t *Table[R]) narrow(cells int) {
	for range cells {
		var widest *plannedColumn[R]
		for i := range t.cols {
			c := &t.cols[i]
			if c.Width == AsShown && c.w > leastShown && (widest == nil || c.w > widest.w) {
				widest = c
			}
		}
		if widest == nil {
			return
		}
		widest.w--
	}
}

// spread shares what is left among the columns that have no width of their own, the first of which get the odd cells.
func (t *Table[R]) spread(left int) {
	takers := 0
	for _, c := range t.cols {
		takers += Pick(c.Width == 0, 1, 0)
	}
	for i := range t.cols {
		c := &t.cols[i]
		if c.Width != 0 {
			continue
		}
		share := (left + takers - 1) / takers
		c.w = max(1, c.Least, share)
		left, takers = left-share, takers-1
	}
}

// Width is how many cells the columns take, the gap behind the last one included.
func (t *Table[R]) Width() int {
	n := 0
	for _, c := range t.cols {
		n += c.w + t.gap
	}
	return n
}

// Column is where a column begins and how wide it is; a width of 0 says that there is no room for it.
func (t *Table[R]) Column(name string) (x, w int) {
	for _, c := range t.cols {
		if c.Name == name {
			return x, c.w
		}
		x += c.w + t.gap
	}
	return 0, 0
}

// Heading is the line with the names of the columns.
func (t *Table[R]) Heading() Line {
	return t.line(func(c *plannedColumn[R]) Line { return Text(Head, c.Name) })
}

// Row is the line of a row.
func (t *Table[R]) Row(row R) Line {
	return t.line(func(c *plannedColumn[R]) Line {
		if c.Cells != nil {
			return c.Cells(row, c.w)
		}
		return Line{c.Cell(row)}
	})
}

// line puts what stands in the columns beside each other, cut to their widths. Nothing follows what stands in the last one.
func (t *Table[R]) line(cell func(c *plannedColumn[R]) Line) Line {
	var out Line
	blank := 0
	for i := range t.cols {
		c := &t.cols[i]
		l := FitLine(cell(c), c.w)
		n := l.Width()
		if n == 0 {
			blank += c.w + t.gap
			continue
		}
		rest := max(0, c.w-n)
		if c.Right {
			blank, rest = blank+rest, 0
		}
		if blank > 0 {
			out = append(out, Plain.Of(strings.Repeat(" ", blank)))
		}
		out = append(out, l...)
		blank = rest + t.gap
	}
	return out
}
