package tui

// keysOfPage are those of all three panes.
func (o *objectsPage) keysOfPage() []binding {
	return []binding{
		{keys: []string{"h", "left"}, help: "the pane on the left", do: func() { o.enter(o.depth - 1) }},
		{keys: []string{"/"}, hint: "narrow", help: "show only what has some words: names, kinds, namespaces, cells, lines", do: o.startNarrow},
		{keys: []string{"*"}, help: "show everything again, without words", off: o.needsWords, do: func() { o.narrow("") }},
		{keys: []string{"u"}, help: "ask the server again; objects that change are asked for by themselves", do: o.again},
		{keys: []string{"y"}, hint: "copy", help: "copy what is under the cursor: kubectl, curl, YAML, name", off: o.needsThing, do: o.askCopy},
		{keys: []string{"Y"}, help: "copy the same of what is under the cursor again", off: o.needsRepeat, do: func() { o.repeat() }},
	}
}

var wideHelp = "all columns, as kubectl get -o wide, or the usual ones"

func (l *resources) keys() []binding {
	return append([]binding{
		{keys: []string{"enter", "l", "right"}, hint: "objects", help: "list the objects of this resource", do: l.o.deeper},
		{keys: []string{"w"}, hint: "wide", help: wideHelp, do: l.o.toggleWide},
	}, l.o.keysOfPage()...)
}

func (t *objectTable) keys() []binding {
	return append([]binding{
		{keys: []string{"enter", "l", "right"}, hint: "open", help: "open this object", off: t.o.needsObject, do: t.o.deeper},
		{keys: []string{"w"}, hint: "wide", help: wideHelp, do: t.o.toggleWide},
	}, t.o.keysOfPage()...)
}

func (p *objectPane) keys() []binding {
	o := p.o
	return append([]binding{
		{keys: []string{"enter"}, hint: "request", help: "History: show the request that made this version", off: o.needsMaker, do: func() { o.u.jump(o.u.maker(p.history.selected().revision)) }},
		{keys: []string{"]", "l", "right"}, hint: "tabs", help: "next tab: YAML, Fields, History, Owners, Watched by, Rows", do: func() { p.turn(1) }},
		{keys: []string{"["}, help: "previous tab of the object", do: func() { p.turn(-1) }},
		{keys: []string{"o"}, help: "show managedFields in the YAML, or leave them out", do: o.toggleManaged},
		{keys: []string{"m"}, hint: "compare with", help: "History: compare the other versions with this one; again compares each with the one before", off: o.needsHistory, do: func() { p.history.setBase() }},
		{keys: []string{"J"}, help: "History: scroll the difference down", off: o.needsHistory, do: func() { p.history.scroll += 3 }},
		{keys: []string{"K"}, help: "History: scroll the difference up", off: o.needsHistory, do: func() { p.history.scroll -= 3 }},
	}, o.keysOfPage()...)
}

func (o *objectsPage) needsObject() string {
	return unless(o.table.selected() != nil, "there is no object")
}
func (o *objectsPage) needsWords() string { return unless(*o.words() != "", "nothing was narrowed") }
func (o *objectsPage) needsHistory() string {
	return unless(o.object.tab == tabHistory, "only in History: press ] until it is shown")
}
func (o *objectsPage) needsMaker() string {
	p := &o.object
	if p.tab != tabHistory || p.history.selected() == nil {
		return "only in History: press ] until it is shown"
	}
	return unless(o.u.maker(p.history.selected().revision) != nil, "no held request made this version")
}
func (o *objectsPage) needsThing() string {
	r, _ := o.thing()
	return unless(r != nil, "nothing is under the cursor")
}
func (o *objectsPage) needsRepeat() string {
	return unless(o.repeat != nil, "nothing was copied yet")
}
