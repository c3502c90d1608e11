package compare

import (
	"fmt"

	"kubarium/analysis/compare"
	"kubarium/tui/page"
	"kubarium/tui/story"
)

// Sentences tells where the runs part, and the rows that differ by more than timing, by their numbers.
func (x *Page) Sentences() []string {
	x.now()
	if x.compared == nil || len(x.compared.Rows) == 0 {
		return nil
	}
	out := []string{x.parted()}
	for i := range x.rows {
		if r := x.row(i); r.Hard() {
			out = append(out, fmt.Sprintf("%d. %s: %s. compare %d tells more.", i+1, word(r), line(r), i+1))
		}
	}
	return out
}

func line(r *compare.Row) string {
	switch {
	case r.Left == nil:
		return story.Line(r.Right)
	case r.Differs == "":
		return story.Line(r.Left)
	}
	return story.Line(r.Left) + "; " + r.Differs
}

// About tells the row of a number in full.
func (x *Page) About(number uint64) []page.SheetLine {
	x.now()
	if number == 0 || number > uint64(len(x.rows)) {
		return nil
	}
	x.cursor.Point(int(number) - 1)
	x.build(page.PlainWidth)
	return x.sheet.Lines
}

// Nothing is said while there is no row.
func (x *Page) Nothing() string { return x.nothing().String() }
