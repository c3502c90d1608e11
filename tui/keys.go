package tui

import (
	"slices"

	"kubarium/flow/object"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// bindings are those of the pane that has the keys: its own, which go before those of the frame.
func (u *ui) bindings() []page.Binding {
	p := u.pane()
	if u.tied == nil {
		u.tied = map[page.Pane][]page.Binding{}
	}
	if bs, ok := u.tied[p]; ok {
		return bs
	}
	all := slices.Concat(u.backKeys(), p.Keys(), u.paneKeys(), u.moveKeys(), u.listKeys(), u.viewKeys(), u.stepKeys(), u.lessonKeys(), u.frameKeys())
	taken := map[string]bool{}
	var out []page.Binding
	for _, b := range all {
		b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(k string) bool { return taken[k] })
		for _, k := range b.Keys {
			taken[k] = true
		}
		if len(b.Keys) > 0 {
			out = append(out, b)
		}
	}
	u.tied[p] = out
	return out
}

// paneKeys change panes.
func (u *ui) paneKeys() []page.Binding {
	if len(u.page().Panes()) < 2 {
		return nil
	}
	return []page.Binding{
		{Keys: []string{"tab"}, Help: "next pane", Do: func() { u.cycle(1) }},
		{Keys: []string{"shift+tab"}, Help: "previous pane", Do: func() { u.cycle(-1) }},
		{Keys: []string{"h", "left"}, Help: "pane on the left", Do: func() { u.Enter(u.At - 1) }},
		{Keys: []string{"l", "right"}, Help: "pane on the right", Do: func() { u.Enter(u.At + 1) }},
		{Keys: []string{"z"}, Help: "give the whole body to this pane, and back", Do: func() { u.Zoom = !u.Zoom; u.Relayout() }},
	}
}

// moveKeys move within a pane.
func (u *ui) moveKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"j", "down"}, Help: "down", Do: u.moves("down")},
		{Keys: []string{"k", "up"}, Help: "up", Do: u.moves("up")},
		{Keys: []string{"ctrl+d", "pgdown"}, Help: "half a page down", Do: u.moves("pgdown")},
		{Keys: []string{"ctrl+u", "pgup"}, Help: "half a page up", Do: u.moves("pgup")},
		{Keys: []string{"g", "home"}, Help: "to the beginning", Do: u.moves("home")},
		{Keys: []string{"G", "end"}, Help: "to the end; where newer rows come there, follow them", Do: u.moves("end")},
	}
}

// moves is what a key of movement does in the pane that has the keys.
func (u *ui) moves(k string) func() { return func() { term.MoveBy(u.pane(), k) } }

// listKeys work on the requests and on the selected one.
func (u *ui) listKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"/"}, Hint: "filter", Help: "filter the requests", Do: u.startFilter},
		{Keys: []string{"i"}, Hint: "client", Help: "the client of this row: who it is, what it waits for, what it did and why", Off: u.needsWho, Do: u.showWho},
		{Keys: []string{"*"}, Help: "clear the filter", Off: u.needsFilter, Do: func() { u.setFilter(nil, "") }},
		{Keys: []string{"p"}, Hint: "freeze", Help: "freeze the picture; recording goes on", Off: u.needsPresent, Do: u.freeze},
		{Keys: []string{"y"}, Hint: "copy", Help: "copy the request: kubectl, curl, body, headers, " + u.Store().Copy + ", rv, line", Off: u.needsCopyable, Do: u.AskCopy},
		{Keys: []string{"Y"}, Help: "repeat the last copy for the selected request", Off: u.needsCopied, Do: func() { u.Copied() }},
	}
}

// viewKeys go to pages and open what lies over them.
func (u *ui) viewKeys() []page.Binding {
	var out []page.Binding
	for _, s := range u.screens() {
		t := u.pages[s].Tab()
		if s != page.Client {
			out = append(out, page.Binding{Keys: []string{t.Name[:1]}, Help: t.Help, Do: func() { u.Show(s) }})
		}
	}
	if u.pages[page.Learn] == nil {
		out = append(out, page.Binding{Keys: []string{"8"}, Help: "Learn: lessons that play on this server", Off: func() string {
			return term.Pick(u.NeedsOwn() != "", "lessons play on a server of Kubarium's own", "no lessons were given")
		}})
	}
	return append(out, []page.Binding{
		{Keys: []string{"e"}, Hint: "explain", Help: "explain this pane", Do: u.explain},
		{Keys: []string{":"}, Hint: "command", Help: "palette: find a command by its words", Do: u.openPalette},
		{Keys: []string{"x"}, Help: "export requests to a file: as a recording, JSON Lines or HAR", Do: u.askExport},
		{Keys: []string{"!"}, Help: "diagnostics of the UI: log, frames, terminal", Do: u.diagnostics},
		{Keys: []string{"%"}, Help: "release the mouse so that the terminal selects text, or take it back", Do: u.toggleMouse},
	}...)
}

// frameKeys are those of the frame itself.
func (u *ui) frameKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"?"}, Hint: "help", Help: "keys of this pane; type to search, enter runs", Do: u.openHelp},
		{Keys: []string{"q"}, Hint: "back/quit", Help: term.Pick(u.o.Source.Kind == Own, "back; on Traffic itself, ask to quit", "back; on Traffic itself, leave"), Do: u.back},
		{Keys: []string{"Q"}, Help: "more or less on the screen: the axis of versions, rates, further keys", Do: u.toggleQuiet},
		{Keys: []string{"esc"}, Help: "close what is open, one layer a press; never quits", Do: u.escape},
		{Keys: []string{"ctrl+c"}, Help: "twice: quit at once", Do: u.interrupt},
		{Keys: []string{"ctrl+z"}, Help: term.Pick(u.o.Source.Kind == Own, "does not suspend: that would freeze the API server", "does not suspend; q leaves"), Do: func() {
			u.Say("%s", term.Pick(u.o.Source.Kind == Own, "^z would freeze the API server with the UI; q then d closes the UI and keeps serving", "^z does not suspend; q leaves"))
		}},
	}
}

// Reasons why a key can do nothing.

func (u *ui) needsCopyable() string {
	return page.Unless(u.Sel != nil || u.LessonCommand() != "", "no request is selected")
}

func (u *ui) needsCopied() string {
	return page.Unless(u.Copied != nil && u.Sel != nil, "nothing was copied yet")
}

func (u *ui) needsPresent() string {
	if u.past() {
		return u.F("nothing moves: this is a moment of the past; %s", u.wayBack())
	}
	return page.Unless(!u.Past(), "nothing moves: the recording has ended")
}

func (u *ui) needsFilter() string { return page.Unless(u.filter.text != "", "no filter is set") }

// bound finds what a key does in the pane that has the keys.
func (u *ui) bound(k string) *page.Binding {
	bs := u.bindings()
	for i := range bs {
		if slices.Contains(bs[i].Keys, k) {
			return &bs[i]
		}
	}
	return nil
}

// key handles a key by its name, as Bubble Tea names keys, but "space" for a blank.
func (u *ui) key(k string) {
	u.Dirty = true
	u.Toast = page.Toast{}
	defer u.guide.byHand(u.guide.spot())
	switch {
	case u.lay.tooSmall && k != "ctrl+c" && k != "q":
	case u.Over != nil:
		if k == "ctrl+c" {
			u.interrupt()
			return
		}
		u.overKey(k)
	case u.filter.edit != nil:
		u.filterKey(k)
	case u.traffic().Inspector.Search != nil:
		u.traffic().Inspector.SearchKey(k)
	case u.typist() != nil:
		u.typist().Typed(k)
	case u.lesson.AnswerKey(k):
	default:
		u.run(u.bound(k))
	}
}

// overKey hands a key to what lies over the screen. esc uncovers what lay below that.
func (u *ui) overKey(k string) {
	u.Over.Key(u.Env, k)
	if u.Over != nil {
		return
	}
	if k == "esc" {
		u.Over = u.Under
	}
	u.Under = nil
}

// run does what a binding says, or shows why it cannot.
func (u *ui) run(b *page.Binding) {
	if b == nil {
		return
	}
	if why := b.Why(); why != "" {
		u.Say("%s: %s", term.KeyNames(b.Keys[:1]), why)
		return
	}
	b.Do()
}

// paste takes text that came in one piece.
func (u *ui) paste(s string) {
	u.Dirty, u.Toast = true, page.Toast{}
	prompt, asked := u.Over.(*term.Prompt)
	switch {
	case asked:
		prompt.Edit.Insert(object.OneLine(s))
	case u.Over != nil:
	case u.filter.edit != nil:
		u.filter.edit.Insert(object.OneLine(s))
		u.typedFilter()
	case u.typist() != nil:
		u.typist().Pasted(object.OneLine(s))
	case u.traffic().Inspector.Search != nil:
		u.traffic().Inspector.Search.Insert(object.OneLine(s))
	}
}

// Press does what a key does on the page.
func (u *ui) Press(k string) { u.run(u.bound(k)) }
