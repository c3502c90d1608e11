package tui

// objectKeys are those of the screen Objects.
func (o *objectsPage) keys() []binding {
	return []binding{
		{keys: []string{"enter", "l", "right"}, in: inResources, hint: "objects", help: "list the objects of this resource", do: o.deeper},
		{keys: []string{"enter", "l", "right"}, in: inTable, hint: "open", help: "open this object", off: o.needsObject, do: o.deeper},
		{keys: []string{"h", "left"}, in: objects, help: "the pane on the left", do: func() { o.enter(o.depth - 1) }},
		{keys: []string{"tab"}, in: objects, help: "next pane", do: func() { o.enter((o.depth + 1) % 3) }},
		{keys: []string{"shift+tab"}, in: objects, help: "previous pane", do: func() { o.enter((o.depth + 2) % 3) }},
		{keys: []string{"]", "l", "right"}, in: inObject, hint: "tabs", help: "next tab: YAML, Fields, History, Watched by, Rows", do: func() { o.object.turn(1) }},
		{keys: []string{"enter"}, in: inObject, hint: "request", help: "History: show the request that made this version", off: o.needsMaker, do: func() { o.u.jump(o.u.maker(o.object.history.selected().revision)) }},
		{keys: []string{"["}, in: inObject, help: "previous tab of the object", do: func() { o.object.turn(-1) }},
		{keys: []string{"/"}, in: objects, hint: "narrow", help: "show only what has some words: names, kinds, namespaces, cells, lines", do: o.startNarrow},
		{keys: []string{"*"}, in: objects, help: "show everything again, without words", off: o.needsWords, do: func() { o.narrow("") }},
		{keys: []string{"w"}, in: inResources | inTable, hint: "wide", help: "all columns, as kubectl get -o wide, or the usual ones", do: o.toggleWide},
		{keys: []string{"u"}, in: objects, help: "ask the server again; objects that change are asked for by themselves", do: o.again},
		{keys: []string{"o"}, in: inObject, help: "show managedFields in the YAML, or leave them out", do: o.toggleManaged},
		{keys: []string{"m"}, in: inObject, hint: "compare with", help: "History: compare the other versions with this one; again compares each with the one before", off: o.needsHistory, do: func() { o.object.history.setBase() }},
		{keys: []string{"J"}, in: inObject, help: "History: scroll the difference down", off: o.needsHistory, do: func() { o.object.history.scroll += 3 }},
		{keys: []string{"K"}, in: inObject, help: "History: scroll the difference up", off: o.needsHistory, do: func() { o.object.history.scroll -= 3 }},
		{keys: []string{"y"}, in: objects, hint: "copy", help: "copy what is under the cursor: kubectl, curl, YAML, name", off: o.needsThing, do: o.askCopy},
		{keys: []string{"Y"}, in: objects, help: "copy the same of what is under the cursor again", off: o.needsRepeat, do: func() { o.repeat() }},
	}
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
