package tui

import "kubarium/server/flow"

// A pointer is a page whose row stands for a request, which the keys that work on a request then take.
type pointer interface {
	chosen() *flow.Flow
}

// underCursor is the request that the row, or the line below it, stands for; nil for none.
func (u *ui) underCursor() *flow.Flow {
	if s, ok := u.pane().(*sheet); ok && s.chosen() > 0 {
		return u.log.Get(s.chosen())
	}
	if p, ok := u.page().(pointer); ok {
		return p.chosen()
	}
	return nil
}

func (u *env) needsRow() string {
	return unless(u.underCursor() != nil, "there is no request under the cursor")
}

// onRow makes the request under the cursor the selected one before something is done with it.
func (u *env) onRow(do func()) func() {
	return func() {
		u.choose(u.underCursor())
		do()
	}
}

// needsOf is a reason of the selected request, asked of the one under the cursor.
func (u *env) needsReplayableRow() string {
	f := u.underCursor()
	if f == nil {
		return u.needsRow()
	}
	return replayable(f)
}

// rowPanes are the panes whose rows stand for requests.
const rowPanes = inConflicts | inConflict | inDeletes | inDeletion | inLists | inWalk

// pageKeys are the keys of the pages.
func (u *ui) pageKeys() []binding {
	return []binding{
		{keys: []string{"3"}, in: everywhere, help: "Lists: what was listed, chunk by chunk, each on its snapshot", do: func() { u.show(pageLists) }},
		{keys: []string{"5"}, in: everywhere, help: "Conflicts: writes that met another's, and what each wanted", do: func() { u.show(pageConflicts) }},
		{keys: []string{"6"}, in: everywhere, help: "Deletes: what is going away, and what holds it", do: func() { u.show(pageDeletes) }},
		{keys: []string{"enter"}, in: rowPanes, hint: "request", help: "show the request of this row in Traffic", off: u.needsRow, do: func() { u.jump(u.underCursor()) }},
		{keys: []string{"F"}, in: inConflicts | inConflict, hint: "force", help: "show who owns what as it would be after force, and as it was", off: u.needsMatrix, do: func() { u.conflicts().toggleForce() }},
		{keys: []string{"r"}, in: inConflicts | inConflict, hint: "replay", help: "replay: send this request again, the same, with a fresh rv or without one", off: u.needsReplayableRow, do: u.onRow(u.askReplay)},
		{keys: []string{"y"}, in: inDeletes | inDeletion, hint: "copy", help: "copy a patch that removes a finalizer, or something of this row's request", off: u.needsDeletion, do: func() { u.deletes().askRelease() }},
		{keys: []string{"y"}, in: rowPanes &^ (inDeletes | inDeletion), hint: "copy", help: "copy this row's request: kubectl, curl, body, headers, SQL, rv, line", off: u.needsRow, do: u.onRow(u.askCopy)},
	}
}

func (u *ui) conflicts() *conflicts { return u.pages[pageConflicts].(*conflicts) }

func (u *ui) deletes() *deletes { return u.pages[pageDeletes].(*deletes) }

func (u *ui) needsDeletion() string {
	return unless(u.deletes().selected() != nil, "nothing is being deleted")
}

func (u *ui) needsMatrix() string {
	c := u.conflicts().selected()
	return unless(c != nil && c.hasOwners(), "only an apply that met other managers has this")
}

// hasOwners reports whether the clash is about field owners.
func (c *clash) hasOwners() bool {
	return c.kind == forcedOver || c.flow.Conflict != nil && c.flow.Conflict.Kind == flow.FieldOwnership
}

func (x *conflicts) toggleForce() {
	x.forced = !x.forced
	x.u.say("%s", pick(x.forced, "owners as they would be after force; F shows them as they were", "owners as the request met them"))
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
