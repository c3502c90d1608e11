package objects

import (
	"strings"

	"kubarium/tui/page"
)

// Seek opens the object that a step shows at its tab, or the collection.
func (o *Page) Seek(s page.Sought) bool {
	o.env.Chose(s.Subject, 0)
	depth := 1
	switch {
	case s.Name == "":
		depth = 0
	case s.Detail:
		depth = 2
	}
	o.GoTo(depth, tabNamed(s.Tab, o.Object.Tab))
	return true
}

// tabNamed is the tab of an object that has a name, or the one that is open.
func tabNamed(name string, open ObjectTab) ObjectTab {
	for t := ObjectTab(0); t <= TabRows; t++ {
		if strings.EqualFold(t.String(), name) {
			return t
		}
	}
	return open
}
