package conflicts

import (
	"fmt"

	"kubarium/tui/label"
	"kubarium/tui/page"
)

func (x *Page) Sentences() []string {
	var out []string
	for _, c := range x.List {
		f := c.Flow
		out = append(out, fmt.Sprintf("%d. %s: %s %s %s, %s. conflicts %d tells more.", f.Seq, c.Kind, f.Client.Tag, f.Target.Verb, label.Target(f), versionsText(c), f.Seq))
	}
	return out
}

func (x *Page) About(number uint64) []page.SheetLine {
	for i, c := range x.List {
		if c.Flow.Seq == number {
			x.cursor.Point(i)
			x.build(page.PlainWidth)
			return x.sheet.Lines
		}
	}
	return nil
}

// Nothing is said while there is no row.
func (x *Page) Nothing() string { return "No write has met another one." }
