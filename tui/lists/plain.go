package lists

import (
	"fmt"

	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (l *Page) Sentences() []string {
	var out []string
	for _, w := range l.List {
		_, state := StandingWords(w.Standing(l.env.Time.Compacted))
		out = append(out, fmt.Sprintf("%d. %s lists %s: snapshot rv %s, %s in %s, left %s, from %s, %s. lists %d tells more.", w.ID, w.First().Flow.Client.Tag, whatListed(w),
			label.Revision(w.First().Snapshot), term.Plural(w.Items(), "item"), term.Plural(w.Pages(), "page"), Remaining(w), sourceOf(w, l.env.Store()), state, w.ID))
	}
	return out
}

func (l *Page) About(number uint64) []page.SheetLine {
	for _, w := range l.List {
		if w.ID == number {
			s := &page.LineList{W: page.PlainWidth}
			l.pages(s, w)
			return s.Out
		}
	}
	return nil
}

// Nothing is said while there is no row.
func (l *Page) Nothing() string { return "Nothing was listed yet." }
