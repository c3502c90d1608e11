package tui

import (
	"fmt"

	"kubarium/tui/label"
	"kubarium/tui/term"
)

func (d *deletes) sentences() []string {
	var out []string
	for _, r := range d.rows {
		_, state := d.state(r.Deletion)
		also := ""
		if r.More > 0 {
			also = fmt.Sprintf(" and %s of its kind more", term.Count(r.More))
		}
		if r.Depth > 0 {
			also += ", because of what was deleted before it"
		}
		out = append(out, fmt.Sprintf("%d. %s%s: %s, deleted by %s at rv %d. deletes %d tells more.", r.ID, label.Ref(r.Ref), also, state, r.Began.Who, r.Began.Revision, r.ID))
	}
	return out
}

func (d *deletes) about(number uint64) []sheetLine {
	for _, x := range d.All {
		if x.ID == number {
			l := &LineList{w: plainWidth}
			d.phases(l, x)
			return l.out
		}
	}
	return nil
}
