package inspect

import "kubarium/tui/term"

// startSearch begins to type a text to search for in the tab.
func (in *Inspector) startSearch() {
	e := term.NewLineEdit(in.Query)
	in.Search = &e
}

// SearchKey handles a key while the text is typed; matches are marked at once.
func (in *Inspector) SearchKey(k string) {
	switch k {
	case "esc", "ctrl+c":
		in.Search, in.Query = nil, ""
		return
	case "enter":
		in.Search = nil
		in.find(1)
		return
	}
	in.Search.Key(k)
	in.Query = in.Search.Text
}
