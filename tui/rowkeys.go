package tui

import "kubarium/tui/term"

// hasKeys reports whether the i-th pane of the page at the front has the keys.
func (u *env) hasKeys(i int) bool { return u.at == i }

// rowStyle is the look of the row under the cursor of the i-th pane.
func (u *env) rowStyle(i int) term.Style {
	return term.Pick(u.at == i && u.over == nil, term.Selected, term.Shadowed)
}

// titleStyle is the look of the title of the i-th pane.
func (u *env) titleStyle(i int) term.Style { return term.Pick(u.at == i, term.Bold, term.Plain) }

// visible reports whether there is room for the i-th pane of the page beside the others.
func (u *env) visible(i int) bool { return i >= u.first && i < u.first+u.columns }

func (u *env) needsRow() string {
	return unless(u.underCursor() != nil, "there is no request under the cursor")
}

// onRow makes the request under the cursor the selected one before something is done with it.
func (u *env) onRow(do func()) func() {
	return func() {
		u.choose(u.underCursor())
		do()
	}
}

func (u *env) needsReplayableRow() string {
	f := u.underCursor()
	if f == nil {
		return u.needsRow()
	}
	return replayable(f)
}

// rowKeys are those of a page whose rows stand for requests.
func (u *env) rowKeys() []binding {
	return []binding{
		{keys: []string{"enter"}, hint: "request", help: "show the request of this row in Traffic", off: u.needsRow, do: func() { u.jump(u.underCursor()) }},
		{keys: []string{"y"}, hint: "copy", help: "copy this row's request: kubectl, curl, body, headers, SQL, rv, line", off: u.needsRow, do: u.onRow(u.askCopy)},
	}
}

func unless(ok bool, why string) string {
	if ok {
		return ""
	}
	return why
}
