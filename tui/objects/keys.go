package objects

import (
	"slices"

	"kubarium/tui/page"
)

// keysOfPage are the keys of all three panes.
func (o *Page) keysOfPage() []page.Binding {
	return []page.Binding{
		{Keys: []string{"h", "left"}, Help: "the pane on the left", Do: func() { o.enter(o.depth - 1) }},
		{Keys: []string{"/"}, Hint: "narrow", Help: "filter by words: names, kinds, namespaces, cells, lines",
			Do: func() { o.StartNarrow(*o.words()) }},
		{Keys: []string{"*"}, Help: "clear the words that filter", Off: o.needsWords, Do: func() { o.narrow("") }},
		{Keys: []string{"u"}, Help: "ask the server again; objects that change are asked for by themselves",
			Do: o.again},
		{Keys: []string{"y"}, Hint: "copy", Help: "copy what is under the cursor: kubectl, curl, YAML, name",
			Off: o.needsThing, Do: o.askCopy},
		{Keys: []string{"Y"}, Help: "repeat the last copy for what is under the cursor", Off: o.needsRepeat,
			Do: func() { o.repeat() }},
	}
}

var wideHelp = "all columns, as kubectl get -o wide, or the usual ones"

// Keys implements page.Pane.
func (l *resources) Keys() []page.Binding {
	return append([]page.Binding{
		{Keys: []string{"enter", "l", "right"}, Hint: "objects", Help: "list the objects of this resource",
			Do: l.o.deeper},
		{Keys: []string{"w"}, Hint: "wide", Help: wideHelp, Do: l.o.toggleWide},
	}, append(l.o.keysOfPage(), l.o.creationKeys()...)...)
}

// Keys implements page.Pane.
func (t *objectTable) Keys() []page.Binding {
	return append([]page.Binding{
		{Keys: []string{"enter", "l", "right"}, Hint: "open", Help: "open this object", Off: t.o.needsObject,
			Do: t.o.deeper},
		{Keys: []string{"w"}, Hint: "wide", Help: wideHelp, Do: t.o.toggleWide},
	}, slices.Concat(t.o.objectKeys(), t.o.creationKeys(), t.o.keysOfPage())...)
}

// Keys implements page.Pane.
func (p *Object) Keys() []page.Binding {
	o := p.o
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: "request", Help: "History: show the request that made this version",
			Off: o.needsMaker, Do: func() { o.env.Jump(o.env.Maker(p.history.selected().revision)) }},
		{Keys: []string{"]", "l", "right"}, Hint: "tabs", Help: "next tab: YAML, Fields, History, Owners, Watched " +
			"by, " + o.env.Store().RowTab, Do: func() { p.turn(1) }},
		{Keys: []string{"["}, Help: "previous tab of the object", Do: func() { p.turn(-1) }},
		{Keys: []string{"o"}, Help: "show managedFields in YAML and History, there also times and generation, or leave " +
			"them out", Do: o.toggleManaged},
		{Keys: []string{"m"}, Hint: "compare with", Help: "History: compare other versions with this one; again: " +
			"each with the one before", Off: o.needsHistory, Do: func() { p.history.setBase() }},
		{Keys: []string{"J"}, Help: "History: scroll the difference down", Off: o.needsHistory,
			Do: func() { p.history.differ.Move(3) }},
		{Keys: []string{"K"}, Help: "History: scroll the difference up", Off: o.needsHistory,
			Do: func() { p.history.differ.Move(-3) }},
		{Keys: []string{"U"}, Hint: "undo", Help: "History: undo: go back to this version; asks", Off: o.needsOlder,
			Do: o.askUndo},
	}, slices.Concat(o.objectKeys(), o.creationKeys(), o.keysOfPage())...)
}

func (o *Page) needsObject() string {
	return page.Unless(o.table.selected() != nil, "there is no object")
}
func (o *Page) needsWords() string { return page.Unless(*o.words() != "", "nothing was narrowed") }
func (o *Page) needsHistory() string {
	return page.Unless(o.Object.Tab == TabHistory, "only on the tab History; ] goes to the next tab")
}
func (o *Page) needsMaker() string {
	p := &o.Object
	if p.Tab != TabHistory || p.history.selected() == nil {
		return "only on the tab History; ] goes to the next tab"
	}
	return page.Unless(o.env.Maker(p.history.selected().revision) != nil, "the request that made this version is no longer kept")
}
func (o *Page) needsThing() string {
	r, _ := o.thing()
	return page.Unless(r != nil, "nothing is under the cursor")
}
func (o *Page) needsRepeat() string {
	return page.Unless(o.repeat != nil, "nothing was copied yet")
}
