package tui

import (
	"fmt"

	"kubarium/tui/label"
	"kubarium/tui/term"
)

func (l *lists) sentences() []string {
	var out []string
	for _, w := range l.list {
		_, state := standingWords(w.Standing(l.u.time.Compacted))
		out = append(out, fmt.Sprintf("%d. %s lists %s: snapshot rv %s, %s in %s, left %s, from %s, %s. lists %d tells more.", w.ID, w.First().Flow.Client.Tag, whatListed(w),
			label.Revision(w.First().Snapshot), term.Plural(w.Items(), "item"), term.Plural(w.Pages(), "page"), remaining(w), sourceOf(w), state, w.ID))
	}
	return out
}

func (l *lists) about(number uint64) []sheetLine {
	for _, w := range l.list {
		if w.ID == number {
			s := &LineList{w: plainWidth}
			l.pages(s, w)
			return s.out
		}
	}
	return nil
}
