package tui

import (
	"strconv"

	"kubarium/tui/page"
)

// speaker is the page that a word asks for, nil for none.
func (p *plain) speaker(word string) page.Speaker {
	for _, id := range p.u.screens() {
		if s, ok := p.u.pages[id].(page.Speaker); ok && s.Word() == word {
			return s
		}
	}
	return nil
}

// page tells a page, or one row of it by its number, and reports whether word names one.
func (p *plain) page(word, rest string) bool {
	s := p.speaker(word)
	if s == nil {
		return false
	}
	p.fold() // tells what has come meanwhile, before the list
	p.remind()
	s = p.speaker(word) // of the moment that is shown now
	if rest == "" {
		p.sentences(s)
		return true
	}
	number, err := strconv.ParseUint(rest, 10, 64)
	lines := s.About(number)
	if err != nil || lines == nil {
		p.print("%s: there is no number %q.", word, rest)
	}
	for _, l := range lines {
		p.print("%s", l.String())
	}
	return true
}

func (p *plain) sentences(s page.Speaker) {
	said := s.Sentences()
	if len(said) == 0 {
		said = []string{s.Nothing()}
	}
	for _, l := range said {
		p.print("%s", l)
	}
}
