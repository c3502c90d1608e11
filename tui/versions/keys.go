package versions

import (
	"kubarium/tui/client"
	"kubarium/tui/page"
)

// pageKeys are those of both panes.
func (v *Page) keysOfPage() []page.Binding {
	return []page.Binding{
		{Keys: []string{"t"}, Hint: "axis", Help: "one version per cell, or all versions on the axis", Do: func() { v.whole = !v.whole }},
		{Keys: []string{"o"}, Hint: "object", Help: "show the object with its history", Off: v.needsVersion, Do: v.openObject},
		{Keys: []string{"s"}, Help: "save a snapshot: a state that can be restored", Off: v.env.NeedsServer, Do: v.askSave},
		{Keys: []string{"S"}, Hint: "snapshots", Help: "list the snapshots: restore, fork or delete one; start is the state after the server's start", Off: v.env.NeedsServer, Do: v.openSnapshots},
	}
}

// Keys are those of the lanes.
func (v *Page) Keys() []page.Binding {
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: "look", Help: "show details of the selected version", Off: v.needsVersion, Do: func() { v.env.Enter(1) }},
		{Keys: []string{"[", "h", "left"}, Hint: "older", Help: "the version before in this lane", Off: v.needsVersion, Do: func() { v.turn(-1) }},
		{Keys: []string{"]", "l", "right"}, Hint: "newer", Help: "the next version in this lane", Off: v.needsVersion, Do: func() { v.turn(1) }},
	}, v.keysOfPage()...)
}

func (d *versionDetail) Keys() []page.Binding {
	v := d.v
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: "request", Help: "show the request that made the chosen version", Off: v.needsVersionMaker, Do: func() { v.env.Jump(v.env.Maker(v.Chosen().Revision)) }},
		{Keys: []string{"["}, Help: "the version before", Off: v.needsVersion, Do: func() { v.turn(-1) }},
		{Keys: []string{"]"}, Help: "the next version", Off: v.needsVersion, Do: func() { v.turn(1) }},
	}, v.keysOfPage()...)
}

// Legend says how to read the lanes.
func (v *Page) Legend() []string {
	return []string{
		"Each column is a resourceVersion: one change of one object. The first lane has all of them, each other one " +
			"those of an object, the one that changed last first.",
		"C created, U updated, A applied, S status, T a deletion began, D deleted, X " + v.env.Store().XWhole + "; a line where the object exists, · where it does not; a bar where several changes share a column.",
		"▒ is compacted: no list can be read there and no watch can begin there; grey letters are versions that are " +
			"gone for it. ┃ is the head, the newest version; ▲ how far each watch has come; ◆ where a snapshot is.",
		"Commits from before the UI began are read back from the store, by a request that Traffic shows as who:ui. " +
			"A letter that is not grey stays readable in its object's lane: compaction keeps the newest version.",
		"h and l go from version to version, j and k from object to object; the request of a version is the selected " +
			"one on every screen.",
		"The order along the axis is the server's knowledge. To a client a resourceVersion is opaque: it may compare " +
			"two of them for equality, and hand them back.",
	}
}

func (v *Page) needsVersion() string {
	return page.Unless(v.Chosen() != nil, "nothing was committed yet")
}

func (v *Page) needsVersionMaker() string {
	c := v.Chosen()
	return page.Unless(c != nil && v.env.Maker(c.Revision) != nil, "the request that made this version is no longer kept")
}

// openObject shows the chosen version's object on the screen Objects, at its history.
func (v *Page) openObject() {
	c := v.Chosen()
	v.env.OpenObject(page.Subject{Resource: c.Resource, Key: client.Key{Namespace: c.Namespace, Name: c.Name}}, c.Revision)
}
