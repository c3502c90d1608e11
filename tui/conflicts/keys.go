package conflicts

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (x *Page) Keys() []page.Binding {
	return append(x.env.RowKeys(),
		page.Binding{Keys: []string{"F"}, Hint: "force", Help: "show field owners as they would be after force, or as they are", Off: x.needsMatrix, Do: x.toggleForce},
		page.Binding{Keys: []string{"r"}, Hint: "replay", Help: "replay: send this request again, the same, with a fresh rv or without one", Off: x.env.NeedsReplayableRow, Do: x.env.OnRow(x.env.AskReplay)},
	)
}

func (x *Page) needsMatrix() string {
	c := x.selected()
	return page.Unless(c != nil && c.HasOwners(), "only an apply that met other managers has this")
}

func (x *Page) toggleForce() {
	x.forced = !x.forced
	x.env.Say("%s", term.Pick(x.forced, "owners as they would be after force; F shows them as they were", "owners as the request met them"))
}

func (x *Page) Legend() []string {
	return []string{
		"Each line is a write that met another one: a 409 by its kind, or a write that nothing refused although it undid or took over what somebody else had written.",
		"stale resourceVersion: below, base is the version that the writer read, stored the one that it met, sent what it wanted; ◀ marks who changed the field, ✗ what would have been lost without the check.",
		"field manager conflict: below, a row for each field and a column for each manager that owns fields; ■ owns alone, ▣ with others, ✗ is where the request wants another value; F shows it after force.",
		"silent overwrite: a PUT without a resourceVersion put back what another client had changed, and got its 200.",
		"✗: a guard said no before anything was stored, which is no conflict: the sheet tells who was asked, and what each answered. The badge counts them apart, behind ✗.",
		"already exists and uid precondition say which object stands in the way. The badge counts 409s that came since you last looked here.",
	}
}
