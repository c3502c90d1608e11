package tui

import "kubarium/tui/client"

// pageKeys are those of both panes.
func (v *versions) keysOfPage() []binding {
	return []binding{
		{keys: []string{"t"}, hint: "axis", help: "one version a cell, or all that are held on the axis", do: func() { v.whole = !v.whole }},
		{keys: []string{"o"}, hint: "object", help: "show the object with its history", off: v.needsVersion, do: v.openObject},
		{keys: []string{"s"}, help: "save a snapshot: a state that can be gone back to", do: v.askSave},
		{keys: []string{"S"}, hint: "snapshots", help: "list the snapshots, to go back to one, fork or delete it; start is what stood after the start", do: v.openSnapshots},
	}
}

// keys are those of the lanes.
func (v *versions) keys() []binding {
	return append([]binding{
		{keys: []string{"enter"}, hint: "look", help: "go to what there is to say of the chosen version", off: v.needsVersion, do: func() { v.u.enter(1) }},
		{keys: []string{"[", "h", "left"}, hint: "older", help: "the version before in this lane", off: v.needsVersion, do: func() { v.turn(-1) }},
		{keys: []string{"]", "l", "right"}, hint: "newer", help: "the next version in this lane", off: v.needsVersion, do: func() { v.turn(1) }},
	}, v.keysOfPage()...)
}

func (d *versionDetail) keys() []binding {
	v := d.v
	return append([]binding{
		{keys: []string{"enter"}, hint: "request", help: "show the request that made the chosen version", off: v.needsVersionMaker, do: func() { v.u.jump(v.u.maker(v.chosen().Revision)) }},
		{keys: []string{"["}, help: "the version before", off: v.needsVersion, do: func() { v.turn(-1) }},
		{keys: []string{"]"}, help: "the next version", off: v.needsVersion, do: func() { v.turn(1) }},
	}, v.keysOfPage()...)
}

// legend says how to read the lanes.
func (v *versions) legend() []string {
	return []string{
		"Each column is a resourceVersion: one change of one object. The first lane has all of them, each other one those of an object, the one that changed last first.",
		"C created, U updated, A applied, S status, T a deletion began, D deleted, X changed by SQL from outside; a line where the object exists, · where it does not; a bar where several changes share a column.",
		"▒ is compacted: no list can be read there and no watch can begin there; grey letters are versions that are gone for it. ┃ is the head, the newest version; ▲ how far each watch has come; ◆ where a snapshot is.",
		"What was committed before the UI began is read back from the store, by a request that Traffic shows as who:ui. Left of ▒ stands the newest version of each object: compaction keeps that.",
		"h and l go from version to version, j and k from object to object; the request of a version is the selected one on every screen.",
		"The order along the axis is the server's knowledge. To a client a resourceVersion is opaque: it may compare two of them for equality, and hand them back.",
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
	v.u.openObject(subject{c.Resource, client.Key{Namespace: c.Namespace, Name: c.Name}}, c.Revision)
}
