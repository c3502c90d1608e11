package tui

// versionKeys are those of the screen Versions.
func versionKeys() []binding {
	v := func(f func(v *versions)) func(u *ui) {
		return func(u *ui) { f(u.versions()) }
	}
	both := inVersions | inVersion
	return []binding{
		{keys: []string{"enter"}, in: inVersions, hint: "look", help: "go to what there is to say of the chosen version", off: needsVersion, do: func(u *ui) { u.focus(true) }},
		{keys: []string{"enter"}, in: inVersion, hint: "request", help: "show the request that made the chosen version", off: needsVersionMaker, do: func(u *ui) { u.jump(u.versions().maker(u.versions().chosen().Revision)) }},
		{keys: []string{"[", "h", "left"}, in: inVersions, hint: "older", help: "the version before in this lane", off: needsVersion, do: v(func(v *versions) { v.turn(-1) })},
		{keys: []string{"]", "l", "right"}, in: inVersions, hint: "newer", help: "the next version in this lane", off: needsVersion, do: v(func(v *versions) { v.turn(1) })},
		{keys: []string{"["}, in: inVersion, help: "the version before", off: needsVersion, do: v(func(v *versions) { v.turn(-1) })},
		{keys: []string{"]"}, in: inVersion, help: "the next version", off: needsVersion, do: v(func(v *versions) { v.turn(1) })},
		{keys: []string{"t"}, in: both, hint: "axis", help: "one version a cell, or all that are held on the axis", do: v(func(v *versions) { v.whole = !v.whole })},
		{keys: []string{"o"}, in: both, hint: "object", help: "show the object with its history", off: needsVersion, do: v((*versions).openObject)},
		{keys: []string{"s"}, in: both, help: "save a snapshot: a state that can be gone back to", do: (*ui).askSave},
		{keys: []string{"S"}, in: both, hint: "snapshots", help: "list the snapshots, to go back to one, fork or delete it; start is what stood after the start", do: (*ui).openSnapshots},
	}
}

func (u *ui) versions() *versions { return u.pages[pageVersions].(*versions) }

func needsVersion(u *ui) string {
	return unless(u.versions().chosen() != nil, "nothing was committed yet")
}

func needsVersionMaker(u *ui) string {
	c := u.versions().chosen()
	return unless(c != nil && u.versions().maker(c.Revision) != nil, "no held request made this version")
}

// openObject shows the chosen version's object on the screen Objects, at its history.
func (v *versions) openObject() {
	c := v.chosen()
	s := subject{c.Resource, objectKey{c.Namespace, c.Name}}
	v.u.chose(s, c.Revision)
	o := v.u.objects()
	o.object.tab = tabHistory
	o.wanted = 2
	v.u.show(pageObjects)
}
