package traffic

import (
	"slices"
	"strings"

	"kubarium/tui/inspect"
	"kubarium/tui/page"
)

// Seek selects the step's request, or the newest one for the object that it names, and opens its tab.
func (t *Page) Seek(s page.Sought) bool {
	f := s.Flow
	if s.Resource != "" {
		f = nil
		for _, x := range t.Passed {
			if s.Names(x.Target) {
				f = x
			}
		}
	}
	if f == nil || !slices.Contains(t.Passed, f) {
		return false
	}
	t.End(true) // nothing is newer than what the lesson shows
	t.JumpTo(f)
	for tab := inspect.TabStory; tab < inspect.Tabs; tab++ {
		if strings.EqualFold(tab.String(), s.Tab) {
			t.Inspector.Turn(int(tab - t.Inspector.Tab))
		}
	}
	return true
}
