package tui

import (
	"slices"

	"kubarium/server/flow/object"
	"kubarium/tui/term"
)

// bindings are those of the pane that has the keys: its own, which go before those of the frame.
func (u *ui) bindings() []binding {
	p := u.pane()
	if u.bound1 == nil {
		u.bound1 = map[pane][]binding{}
	}
	if bs, ok := u.bound1[p]; ok {
		return bs
	}
	all := slices.Concat(p.keys(), u.paneKeys(), u.moveKeys(), u.listKeys(), u.viewKeys(), u.lesson.playKeys(), u.frameKeys())
	taken := map[string]bool{}
	var out []binding
	for _, b := range all {
		b.keys = slices.DeleteFunc(slices.Clone(b.keys), func(k string) bool { return taken[k] })
		for _, k := range b.keys {
			taken[k] = true
		}
		if len(b.keys) > 0 {
			out = append(out, b)
		}
	}
	u.bound1[p] = out
	return out
}

// paneKeys change panes.
func (u *ui) paneKeys() []binding {
	if len(u.page().panes()) < 2 {
		return nil
	}
	return []binding{
		{keys: []string{"tab"}, help: "next pane", do: func() { u.cycle(1) }},
		{keys: []string{"shift+tab"}, help: "previous pane", do: func() { u.cycle(-1) }},
		{keys: []string{"h", "left"}, help: "pane on the left", do: func() { u.enter(u.at - 1) }},
		{keys: []string{"l", "right"}, help: "pane on the right", do: func() { u.enter(u.at + 1) }},
		{keys: []string{"z"}, help: "give the whole body to this pane, and back", do: func() { u.zoom = !u.zoom; u.relayout() }},
	}
}

// moveKeys move within a pane.
func (u *ui) moveKeys() []binding {
	return []binding{
		{keys: []string{"j", "down"}, help: "down", do: func() { u.pane().Move(1) }},
		{keys: []string{"k", "up"}, help: "up", do: func() { u.pane().Move(-1) }},
		{keys: []string{"ctrl+d", "pgdown"}, help: "half a page down", do: func() { u.pane().Move(max(1, u.pane().Height()/2)) }},
		{keys: []string{"ctrl+u", "pgup"}, help: "half a page up", do: func() { u.pane().Move(-max(1, u.pane().Height()/2)) }},
		{keys: []string{"g", "home"}, help: "to the beginning", do: func() { u.pane().End(false) }},
		{keys: []string{"G", "end"}, help: "to the end; in the list of requests this follows the newest", do: func() { u.pane().End(true) }},
	}
}

// listKeys work on the requests and on the selected one.
func (u *ui) listKeys() []binding {
	return []binding{
		{keys: []string{"/"}, hint: "filter", help: "filter the requests", do: u.startFilter},
		{keys: []string{"*"}, help: "clear the filter", off: u.needsFilter, do: func() { u.setFilter(nil, "") }},
		{keys: []string{"p"}, hint: "freeze", help: "freeze the picture; recording goes on", do: u.freeze},
		{keys: []string{"y"}, hint: "copy", help: "copy the request: kubectl, curl, body, headers, SQL, rv, line", off: u.needsCopyable, do: u.askCopy},
		{keys: []string{"Y"}, help: "copy the same of the selected request again", off: u.needsCopied, do: func() { u.copied() }},
	}
}

// viewKeys go to pages and open what lies over them.
func (u *ui) viewKeys() []binding {
	var out []binding
	for _, s := range u.screens() {
		t := u.pages[s].tab()
		out = append(out, binding{keys: []string{t.name[:1]}, help: t.help, do: func() { u.show(s) }})
	}
	if u.pages[pageLearn] == nil {
		out = append(out, binding{keys: []string{"8"}, help: "Learn: lessons that play on this server", off: func() string { return "no lessons were given" }})
	}
	return append(out, []binding{
		{keys: []string{"e"}, hint: "explain", help: "explain this pane", do: u.explain},
		{keys: []string{":"}, hint: "command", help: "palette: find a command by its words", do: u.openPalette},
		{keys: []string{"!"}, help: "diagnostics of the UI: log, frames, terminal", do: u.diagnostics},
		{keys: []string{"%"}, help: "give the mouse to the terminal for selecting text, and take it back", do: u.toggleMouse},
	}...)
}

// frameKeys are those of the frame itself.
func (u *ui) frameKeys() []binding {
	return []binding{
		{keys: []string{"?"}, hint: "help", help: "keys of this pane; type to search, enter runs", do: u.openHelp},
		{keys: []string{"q", "esc"}, hint: "back/quit", help: "back; on a screen itself, ask to quit", do: u.back},
		{keys: []string{"ctrl+c"}, help: "twice: quit at once", do: u.interrupt},
		{keys: []string{"ctrl+z"}, help: "does not suspend: that would freeze the API server", do: func() {
			u.Say("^z would freeze the API server with the UI; q then d closes the UI and keeps serving")
		}},
	}
}

// Reasons why a key can do nothing.

func (u *ui) needsCopyable() string {
	return unless(u.sel != nil || u.lessonCommand() != "", "no request is selected")
}

func (u *ui) needsCopied() string {
	return unless(u.copied != nil && u.sel != nil, "nothing was copied yet")
}

func (u *ui) needsFilter() string { return unless(u.filter.text != "", "no filter is set") }

// bound finds what a key does in the pane that has the keys.
func (u *ui) bound(k string) *binding {
	bs := u.bindings()
	for i := range bs {
		if slices.Contains(bs[i].keys, k) {
			return &bs[i]
		}
	}
	return nil
}

// key handles a key by its name, as Bubble Tea names keys, but "space" for a blank.
func (u *ui) key(k string) {
	u.dirty = true
	switch {
	case u.lay.tooSmall && k != "ctrl+c" && k != "q":
	case u.over != nil:
		if k == "ctrl+c" {
			u.interrupt()
			return
		}
		u.over.Key(u.env, k)
	case u.filter.edit != nil:
		u.filterKey(k)
	case u.traffic().inspector.search != nil:
		u.traffic().inspector.searchKey(k)
	case u.typist() != nil:
		u.typist().typed(k)
	case u.lesson.answerKey(k):
	default:
		u.run(u.bound(k))
	}
}

// run does what a binding says, or tells why it cannot.
func (u *ui) run(b *binding) {
	if b == nil {
		return
	}
	if why := b.why(); why != "" {
		u.Say("%s: %s", term.KeyNames(b.keys[:1]), why)
		return
	}
	b.do()
}

// paste takes text that came in one piece.
func (u *ui) paste(s string) {
	u.dirty = true
	switch {
	case u.over != nil:
	case u.filter.edit != nil:
		u.filter.edit.Insert(object.OneLine(s))
		u.typedFilter()
	case u.typist() != nil:
		u.typist().pasted(object.OneLine(s))
	case u.traffic().inspector.search != nil:
		u.traffic().inspector.search.Insert(object.OneLine(s))
	}
}
