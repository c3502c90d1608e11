package deletes

import (
	"fmt"

	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (d *Page) Sentences() []string {
	var out []string
	for _, r := range d.Rows {
		_, state := d.State(r.Deletion)
		also := ""
		if r.More > 0 {
			also = fmt.Sprintf(" and %s more of that kind", term.Count(r.More))
		}
		if r.Depth > 0 {
			also += ", because of what was deleted before it"
		}
		out = append(out, fmt.Sprintf("%d. %s%s: %s, deleted by %s at rv %d. deletes %d tells more.", r.ID, label.Ref(r.Ref), also, state, r.Began.Who, r.Began.Revision, r.ID))
	}
	return out
}

func (d *Page) About(number uint64) []page.SheetLine {
	for _, x := range d.All {
		if x.ID == number {
			l := &page.LineList{W: page.PlainWidth}
			d.phases(l, x)
			return l.Out
		}
	}
	return nil
}

// Nothing is said while there is no row.
func (d *Page) Nothing() string { return "Nothing is terminating, and nothing was deleted yet." }
