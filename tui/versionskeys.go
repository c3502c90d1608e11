package tui

// versionKeys are those of the screen Versions.
func (v *versions) keys() []binding {
	both := inVersions | inVersion
	return []binding{
		{keys: []string{"enter"}, in: inVersions, hint: "look", help: "go to what there is to say of the chosen version", off: v.needsVersion, do: func() { v.u.focus(true) }},
		{keys: []string{"enter"}, in: inVersion, hint: "request", help: "show the request that made the chosen version", off: v.needsVersionMaker, do: func() { v.u.jump(v.u.maker(v.chosen().Revision)) }},
		{keys: []string{"[", "h", "left"}, in: inVersions, hint: "older", help: "the version before in this lane", off: v.needsVersion, do: func() { v.turn(-1) }},
		{keys: []string{"]", "l", "right"}, in: inVersions, hint: "newer", help: "the next version in this lane", off: v.needsVersion, do: func() { v.turn(1) }},
		{keys: []string{"["}, in: inVersion, help: "the version before", off: v.needsVersion, do: func() { v.turn(-1) }},
		{keys: []string{"]"}, in: inVersion, help: "the next version", off: v.needsVersion, do: func() { v.turn(1) }},
		{keys: []string{"t"}, in: both, hint: "axis", help: "one version a cell, or all that are held on the axis", do: func() { v.whole = !v.whole }},
		{keys: []string{"o"}, in: both, hint: "object", help: "show the object with its history", off: v.needsVersion, do: v.openObject},
		{keys: []string{"s"}, in: both, help: "save a snapshot: a state that can be gone back to", do: v.askSave},
		{keys: []string{"S"}, in: both, hint: "snapshots", help: "list the snapshots, to go back to one, fork or delete it; start is what stood after the start", do: v.openSnapshots},
	}
}

func (v *versions) needsVersion() string {
	return unless(v.chosen() != nil, "nothing was committed yet")
}

func (v *versions) needsVersionMaker() string {
	c := v.chosen()
	return unless(c != nil && v.u.maker(c.Revision) != nil, "no held request made this version")
}

// openObject shows the chosen version's object on the screen Objects, at its history.
func (v *versions) openObject() {
	c := v.chosen()
	v.u.openObject(subject{c.Resource, objectKey{c.Namespace, c.Name}}, c.Revision)
}
