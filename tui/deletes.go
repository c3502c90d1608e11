package tui

import (
	"fmt"

	"kubarium/server/flow"
	"kubarium/server/flow/deletion"
	"kubarium/tui/feed"
	"kubarium/tui/term"
)

// deletes is the screen of what is going away: every object that is terminating or was deleted, as a tree of what was
// deleted because of what, and for the chosen one its two phases with all that holds it.
type deletes struct {
	u *env
	deletion.Log
	rows   []deletion.Row
	cursor int
	top    int
	tall   int
	id     uint64 // of the selected deletion
	follow bool
	sheet  sheet
}

func newDeletes(u *env) *deletes {
	d := &deletes{u: u, follow: true, Log: deletion.NewLog()}
	d.sheet = sheet{title: "deletion", words: d.legend, bound: d.keys}
	return d
}

func (d *deletes) name() string   { return "deletes" }
func (d *deletes) Height() int    { return max(1, d.tall) }
func (d *deletes) panes() []pane  { return []pane{d, &d.sheet} }
func (d *deletes) form() form     { return form{stacked: true} }
func (d *deletes) restless() bool { return len(d.Open) > 0 }

// fold takes what the requests changed.
func (d *deletes) fold(flows []*flow.Flow) {
	changed := false
	for _, f := range flows {
		for _, e := range f.Effects {
			d.NoteOwners(e)
			changed = d.Note(f, e) || changed
		}
	}
	if !changed {
		return
	}
	d.Trim(d.id)
	d.refilter()
}

// refilter makes the rows anew and keeps the cursor on its deletion.
func (d *deletes) refilter() {
	d.rows = d.Tree(d.wanted)
	d.cursor = max(0, min(d.cursor, len(d.rows)-1))
	if d.follow {
		d.cursor = d.newestRoot()
	}
	for i := range d.rows {
		if d.rows[i].ID == d.id && !d.follow {
			d.cursor = i
		}
	}
	if x := d.selected(); x != nil {
		d.id = x.ID
	}
}

// newestRoot is the row of the deletion that began last by itself.
func (d *deletes) newestRoot() int {
	for i := len(d.rows) - 1; i >= 0; i-- {
		if d.rows[i].Depth == 0 {
			return i
		}
	}
	return 0
}

func (d *deletes) selected() *deletion.Deletion {
	if d.cursor >= len(d.rows) {
		return nil
	}
	return d.rows[d.cursor].Deletion
}

func (d *deletes) tab() tabLabel {
	t := tabLabel{name: "6 Deletes", short: "6Del", help: "Deletes: what is going away, and what holds it"}
	if n := len(d.Open); n > 0 {
		t.badge = "◌" + term.Count(n)
	}
	return t
}

// count counts the deletions of the trees that are shown, those taken together in one row as well.
func (d *deletes) count() rowCount {
	n := rowCount{what: "deletion", all: len(d.All)}
	for _, r := range d.rows {
		n.shown += 1 + r.More
	}
	return n
}

func (d *deletes) Move(n int) {
	if len(d.rows) > 0 {
		d.choose(d.cursor + n)
	}
}

func (d *deletes) End(bottom bool) {
	if bottom {
		d.follow = true
		d.refilter()
		return
	}
	d.Move(-len(d.rows))
}

func (d *deletes) point(row int) {
	if i := d.top + row; i < len(d.rows) {
		d.choose(i)
	}
}

// click puts the cursor on a row.
func (d *deletes) click(i, _, y int) {
	if i == 1 {
		d.sheet.point(y)
	} else if y > 0 {
		d.point(y - 1)
	}
}

// keys are those of rows, of which y copies the patch that removes a finalizer as well.
func (d *deletes) keys() []binding {
	keys := d.u.rowKeys()[:1]
	return append(keys, binding{keys: []string{"y"}, hint: "copy", help: "copy a patch that removes a finalizer, or something of this row's request", off: d.needsDeletion, do: d.askRelease})
}

func (d *deletes) needsDeletion() string {
	return unless(d.selected() != nil, "nothing is being deleted")
}

func (d *deletes) choose(i int) {
	d.follow = false
	d.cursor = max(0, min(i, len(d.rows)-1))
	if x := d.selected(); x != nil {
		d.id = x.ID
		d.u.choose(d.chosen())
	}
}

// chosen is the request that began the deletion under the cursor, nil if it is not held.
func (d *deletes) chosen() *flow.Flow {
	if x := d.selected(); x != nil {
		return d.u.log.Get(x.Began.Seq)
	}
	return nil
}

func (d *deletes) legend() []string {
	return []string{
		"Each line is an object that is terminating (◌) or gone (✓). What was deleted because its owner, its namespace or the definition of its resource was stands below that, indented.",
		"A DELETE of an object with finalizers only sets its deletionTimestamp: watchers see MODIFIED, and the object stays readable. That is phase 1.",
		"Phase 2 is the write that takes the last finalizer away: it is the deletion, watchers see DELETED, and the row is gone in the same change.",
		"Below: ✓ what has been done, by whom, at which version; ○ what still holds the object. Who will act next is never guessed: last written by is what the managed fields say.",
		fmt.Sprintf("foregroundDeletion waits for dependents with blockOwnerDeletion; kubernetes, in a namespace's spec, waits until nothing is left in it. The badge counts what is terminating. At most %s ended deletions are kept.", term.Count(deletion.KeepDeletions)),
	}
}

// wanted reports whether the filter lets a request of a deletion through. What Kubarium's own controllers deleted because of it is
// shown with it.
func (d *deletes) wanted(x *deletion.Deletion) bool {
	for _, m := range []deletion.Moment{x.Began, x.Gone} {
		if m.Zero() {
			continue
		}
		f := d.u.log.Get(m.Seq)
		if f == nil && d.u.feed.Match == nil || f != nil && d.u.feed.Verdict(f) == feed.Shows {
			return true
		}
	}
	return false
}
