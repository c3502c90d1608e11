package doctor

import (
	"fmt"

	"kubarium/tui/page"
)

// Sentences tells the findings, numbered as they are listed.
func (x *Page) Sentences() []string {
	x.reader.now()
	var out []string
	for i, f := range x.shown {
		out = append(out, fmt.Sprintf("%d. %s, %s: %s doctor %d tells more.", i+1, f.Severity, x.about[f.Rule].Title, f.What, i+1))
	}
	return out
}

// About tells the finding of a number in full.
func (x *Page) About(number uint64) []page.SheetLine {
	x.reader.now()
	if number == 0 || number > uint64(len(x.shown)) {
		return nil
	}
	x.cursor.Point(int(number) - 1)
	x.build(page.PlainWidth)
	return x.sheet.Lines
}

// Nothing says on what there is nothing to tell.
func (x *Page) Nothing() string { return x.looked() }
