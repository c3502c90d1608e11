package tui

import (
	"strconv"

	"kubarium/tui/page"
)

// plainPages are the words that tell a page.
var plainPages = map[string]page.ID{"lists": page.Lists, "conflicts": page.Conflicts, "deletes": page.Deletes, "doctor": page.Doctor, "compare": page.Compare}

// page tells a page, or one row of it by its number, and reports whether word names one.
func (p *plain) page(word, rest string) bool {
	id, ok := plainPages[word]
	if !ok || p.u.pages[id] == nil {
		return false
	}
	p.fold() // tells what has come meanwhile, before the list
	p.remind()
	s := p.u.pages[id].(page.Speaker)
	if rest != "" {
		number, err := strconv.ParseUint(rest, 10, 64)
		lines := s.About(number)
		if err != nil || lines == nil {
			p.print("%s: there is no number %q.", word, rest)
			return true
		}
		for _, l := range lines {
			p.print("%s", l.String())
		}
		return true
	}
	said := s.Sentences()
	if len(said) == 0 {
		p.print("%s", s.Nothing())
		return true
	}
	for _, l := range said {
		p.print("%s", l)
	}
	return true
}
