package tui

import "kubarium/tui/term"

func (x *conflicts) keys() []binding {
	return append(x.u.rowKeys(),
		binding{keys: []string{"F"}, hint: "force", help: "show who owns what as it would be after force, and as it was", off: x.needsMatrix, do: x.toggleForce},
		binding{keys: []string{"r"}, hint: "replay", help: "replay: send this request again, the same, with a fresh rv or without one", off: x.u.needsReplayableRow, do: x.u.onRow(x.u.askReplay)},
	)
}

func (x *conflicts) needsMatrix() string {
	c := x.selected()
	return unless(c != nil && c.HasOwners(), "only an apply that met other managers has this")
}

func (x *conflicts) toggleForce() {
	x.forced = !x.forced
	x.u.Say("%s", term.Pick(x.forced, "owners as they would be after force; F shows them as they were", "owners as the request met them"))
}

func (x *conflicts) legend() []string {
	return []string{
		"Each line is a write that met another one: a 409 by its kind, or a write that nothing refused although it undid or took over what somebody else had written.",
		"stale resourceVersion: below, base is the version that the writer read, stored the one that it met, sent what it wanted; ◀ marks who changed the field, ✗ what would have been lost without the check.",
		"field manager conflict: below, a row for each field and a column for each manager that owns fields; ■ owns alone, ▣ with others, ✗ is where the request wants another value; F shows it after force.",
		"silent overwrite: a PUT without a resourceVersion put back what another client had changed, and got its 200.",
		"already exists and uid precondition say which object stands in the way. The badge counts 409s that came since you last looked here.",
	}
}
