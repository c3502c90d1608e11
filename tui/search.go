package tui

import "kubarium/tui/term"

// startSearch types a text to search for in the tab.
func (in *inspector) startSearch() {
	e := term.NewLineEdit(in.query)
	in.search = &e
}

// searchKey handles a key while the text is typed; what is found is marked at once.
func (in *inspector) searchKey(k string) {
	switch k {
	case "esc", "ctrl+c":
		in.search, in.query = nil, ""
		return
	case "enter":
		in.search = nil
		in.find(1)
		return
	}
	in.search.Key(k)
	in.query = in.search.Text
}
