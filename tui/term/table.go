package term

import "strings"

// AsShown is the width of a column that is as wide as its contents.
const AsShown = -1

// A TableColumn describes a column of a table, and its contents in a row.
type TableColumn[R any] struct {
	Name  string
	Width int  // in cells; AsShown; or 0 for a share of the remaining width
	Least int  // least width of a column with Width 0
	From  int  // least width of the table with which the column is shown
	Right bool // right-aligned

	Cell  func(row R) Span        // its text, which is cut if it is too long
	Cells func(row R, w int) Line // instead of Cell, text in several styles that fits w cells
}

// A Table is the columns that fit, each with its width.
type Table[R any] struct {
	cols []plannedColumn[R]
	gap  int
}

type plannedColumn[R any] struct {
	TableColumn[R]
	w int
}

// PlanTable chooses the columns for w cells, with a gap after each. rows are the visible ones: columns with AsShown are
// measured by them, and the widest of these are narrowed if there is not enough room.
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

// width returns the width of a column by itself.
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

// leastShown is the least width of a column with AsShown.
const leastShown = 12

// narrow takes so many cells from the columns, each from the widest one that can still spare it.
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

// spread divides the rest among the columns with Width 0; the first ones get the odd cells.
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

// Width returns the cells of all columns, including the gap after the last one.
func (t *Table[R]) Width() int {
	n := 0
	for _, c := range t.cols {
		n += c.w + t.gap
	}
	return n
}

// Column returns where a column begins and its width; a width of 0 means that it is not shown.
func (t *Table[R]) Column(name string) (x, w int) {
	for _, c := range t.cols {
		if c.Name == name {
			return x, c.w
		}
		x += c.w + t.gap
	}
	return 0, 0
}

// Heading returns the line with the names of the columns.
func (t *Table[R]) Heading() Line {
	return t.line(func(c *plannedColumn[R]) Line { return Text(Head, c.Name) })
}

// Row returns the line of a row.
func (t *Table[R]) Row(row R) Line {
	return t.line(func(c *plannedColumn[R]) Line {
		if c.Cells != nil {
			return c.Cells(row, c.w)
		}
		return Line{c.Cell(row)}
	})
}

// line joins the contents of the columns, cut to their widths. Nothing follows the contents of the last one.
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
