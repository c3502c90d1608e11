package tui

// objectKeys are those of the screen Objects.
func objectKeys() []binding {
	o := func(f func(o *objectsPage)) func(u *ui) {
		return func(u *ui) { f(u.objects()) }
	}
	return []binding{
		{keys: []string{"enter", "l", "right"}, in: inResources, hint: "objects", help: "list the objects of this resource", do: o((*objectsPage).deeper)},
		{keys: []string{"enter", "l", "right"}, in: inTable, hint: "open", help: "open this object", off: needsObject, do: o((*objectsPage).deeper)},
		{keys: []string{"h", "left"}, in: objects, help: "the pane on the left", do: o(func(o *objectsPage) { o.enter(o.depth - 1) })},
		{keys: []string{"tab"}, in: objects, help: "next pane", do: o(func(o *objectsPage) { o.enter((o.depth + 1) % 3) })},
		{keys: []string{"shift+tab"}, in: objects, help: "previous pane", do: o(func(o *objectsPage) { o.enter((o.depth + 2) % 3) })},
		{keys: []string{"]", "l", "right"}, in: inObject, hint: "tabs", help: "next tab: YAML, Fields, History, Watched by, Rows", do: o(func(o *objectsPage) { o.object.turn(1) })},
		{keys: []string{"enter"}, in: inObject, hint: "request", help: "History: show the request that made this version", off: needsMaker, do: func(u *ui) { u.jump(u.maker(u.objects().object.history.selected().revision)) }},
		{keys: []string{"["}, in: inObject, help: "previous tab of the object", do: o(func(o *objectsPage) { o.object.turn(-1) })},
		{keys: []string{"/"}, in: objects, hint: "narrow", help: "show only what has some words: names, kinds, namespaces, cells, lines", do: o((*objectsPage).startNarrow)},
		{keys: []string{"*"}, in: objects, help: "show everything again, without words", off: needsWords, do: o(func(o *objectsPage) { o.narrow("") })},
		{keys: []string{"w"}, in: inResources | inTable, hint: "wide", help: "all columns, as kubectl get -o wide, or the usual ones", do: o((*objectsPage).toggleWide)},
		{keys: []string{"u"}, in: objects, help: "ask the server again; objects that change are asked for by themselves", do: o((*objectsPage).again)},
		{keys: []string{"o"}, in: inObject, help: "show managedFields in the YAML, or leave them out", do: o((*objectsPage).toggleManaged)},
		{keys: []string{"m"}, in: inObject, hint: "compare with", help: "History: compare the other versions with this one; again compares each with the one before", off: needsHistory, do: o(func(o *objectsPage) { o.object.history.setBase() })},
		{keys: []string{"J"}, in: inObject, help: "History: scroll the difference down", off: needsHistory, do: o(func(o *objectsPage) { o.object.history.scroll += 3 })},
		{keys: []string{"K"}, in: inObject, help: "History: scroll the difference up", off: needsHistory, do: o(func(o *objectsPage) { o.object.history.scroll -= 3 })},
		{keys: []string{"y"}, in: objects, hint: "copy", help: "copy what is under the cursor: kubectl, curl, YAML, name", off: needsThing, do: o((*objectsPage).askCopy)},
		{keys: []string{"Y"}, in: objects, help: "copy the same of what is under the cursor again", off: needsRepeat, do: o(func(o *objectsPage) { o.repeat() })},
	}
}

func (u *ui) objects() *objectsPage { return u.pages[pageObjects].(*objectsPage) }

func needsObject(u *ui) string {
	return unless(u.objects().table.selected() != nil, "there is no object")
}
func needsWords(u *ui) string { return unless(*u.objects().words() != "", "nothing was narrowed") }
func needsHistory(u *ui) string {
	return unless(u.objects().object.tab == tabHistory, "only in History: press ] until it is shown")
}
func needsMaker(u *ui) string {
	p := &u.objects().object
	if p.tab != tabHistory || p.history.selected() == nil {
		return "only in History: press ] until it is shown"
	}
	return unless(u.maker(p.history.selected().revision) != nil, "no held request made this version")
}
func needsThing(u *ui) string {
	r, _ := u.objects().thing()
	return unless(r != nil, "nothing is under the cursor")
}
func needsRepeat(u *ui) string {
	return unless(u.objects().repeat != nil, "nothing was copied yet")
}
