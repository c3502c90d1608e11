package tui

import (
	"bytes"
	"fmt"

	"kubarium/server/flow"
)

// deletes is the screen of what is going away: every object that is terminating or was deleted, as a tree of what was
// deleted because of what, and for the chosen one its two phases with all that holds it.
type deletes struct {
	u      *env
	all    []*deletion // as they began
	open   map[objectRef]*deletion
	began  uint64 // how many have begun
	rows   []treeRow
	cursor int
	top    int
	tall   int
	id     uint64 // of the selected deletion
	follow bool
	sheet  sheet

	dependents map[string]map[objectRef]dependent // by the uid of the owner
	known      int                                // dependents in all
}

// A dependent is an object that names an owner.
type dependent struct {
	blocks bool // the owner's foreground deletion waits for it
}

const (
	keepDeletions  = 1000
	keepDependents = 20_000
)

func newDeletes(u *env) *deletes {
	d := &deletes{u: u, follow: true, open: map[objectRef]*deletion{}, dependents: map[string]map[objectRef]dependent{}}
	d.sheet = sheet{title: "deletion", words: d.legend, bound: d.keys}
	return d
}

func (d *deletes) name() string   { return "deletes" }
func (d *deletes) height() int    { return max(1, d.tall) }
func (d *deletes) panes() []pane  { return []pane{d, &d.sheet} }
func (d *deletes) form() form     { return form{stacked: true} }
func (d *deletes) restless() bool { return len(d.open) > 0 }

// fold takes what the requests changed.
func (d *deletes) fold(flows []*flow.Flow) {
	changed := false
	for _, f := range flows {
		for _, e := range f.Effects {
			d.noteOwners(e)
			changed = d.note(f, e) || changed
		}
	}
	if !changed {
		return
	}
	d.trim()
	d.refilter()
}

// note follows the deletion that a change begins, goes on with or ends, and reports false for any other change.
func (d *deletes) note(f *flow.Flow, e flow.Effect) (noted bool) {
	if e.Commit.Type != flow.Deleted && !terminating(e.After) {
		return false
	}
	ref := refOf(e.Commit)
	x := d.open[ref]
	if x == nil {
		d.began++
		x = &deletion{id: d.began}
		x.begin(f, e)
		d.all = append(d.all, x)
		d.open[ref] = x
	}
	x.step(f, e)
	if !x.gone.zero() {
		delete(d.open, ref)
	}
	return true
}

// noteOwners remembers who depends on whom, for what a deletion in the foreground waits for.
func (d *deletes) noteOwners(e flow.Effect) {
	marker := []byte(`"ownerReferences"`)
	ref := refOf(e.Commit)
	if bytes.Contains(e.Before, marker) {
		for _, o := range remainsOf(e.Before).Metadata.OwnerReferences {
			if _, ok := d.dependents[o.UID][ref]; ok {
				d.known--
			}
			delete(d.dependents[o.UID], ref)
			if len(d.dependents[o.UID]) == 0 {
				delete(d.dependents, o.UID)
			}
		}
	}
	if !bytes.Contains(e.After, marker) {
		return
	}
	if d.known > keepDependents {
		clear(d.dependents)
		d.known = 0
	}
	for _, o := range remainsOf(e.After).Metadata.OwnerReferences {
		if d.dependents[o.UID] == nil {
			d.dependents[o.UID] = map[objectRef]dependent{}
		}
		d.dependents[o.UID][ref] = dependent{o.BlockOwnerDeletion}
		d.known++
	}
}

// trim forgets the oldest deletions that have ended.
func (d *deletes) trim() {
	over := len(d.all) - len(d.open) - keepDeletions
	if over <= 0 {
		return
	}
	kept := d.all[:0]
	for _, x := range d.all {
		if over > 0 && !x.gone.zero() && x.id != d.id {
			over--
			continue
		}
		kept = append(kept, x)
	}
	clear(d.all[len(kept):])
	d.all = kept
}

// refilter makes the rows anew and keeps the cursor on its deletion.
func (d *deletes) refilter() {
	d.rows = d.tree()
	d.cursor = max(0, min(d.cursor, len(d.rows)-1))
	if d.follow {
		d.cursor = d.newestRoot()
	}
	for i := range d.rows {
		if d.rows[i].id == d.id && !d.follow {
			d.cursor = i
		}
	}
	if x := d.selected(); x != nil {
		d.id = x.id
	}
}

// newestRoot is the row of the deletion that began last by itself.
func (d *deletes) newestRoot() int {
	for i := len(d.rows) - 1; i >= 0; i-- {
		if d.rows[i].depth == 0 {
			return i
		}
	}
	return 0
}

func (d *deletes) selected() *deletion {
	if d.cursor >= len(d.rows) {
		return nil
	}
	return d.rows[d.cursor].deletion
}

func (d *deletes) tab() tabLabel {
	t := tabLabel{name: "6 Deletes", short: "6Del", help: "Deletes: what is going away, and what holds it"}
	if n := len(d.open); n > 0 {
		t.badge = "◌" + count(n)
	}
	return t
}

// count counts the deletions of the trees that are shown, those taken together in one row as well.
func (d *deletes) count() rowCount {
	n := rowCount{what: "deletion", all: len(d.all)}
	for _, r := range d.rows {
		n.shown += 1 + r.more
	}
	return n
}

func (d *deletes) move(n int) {
	if len(d.rows) > 0 {
		d.choose(d.cursor + n)
	}
}

func (d *deletes) end(bottom bool) {
	if bottom {
		d.follow = true
		d.refilter()
		return
	}
	d.move(-len(d.rows))
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
		d.id = x.id
		d.u.choose(d.chosen())
	}
}

// chosen is the request that began the deletion under the cursor, nil if it is not held.
func (d *deletes) chosen() *flow.Flow {
	if x := d.selected(); x != nil {
		return d.u.log.Get(x.began.seq)
	}
	return nil
}

func (d *deletes) legend() []string {
	return []string{
		"Each line is an object that is terminating (◌) or gone (✓). What was deleted because its owner, its namespace or the definition of its resource was stands below that, indented.",
		"A DELETE of an object with finalizers only sets its deletionTimestamp: watchers see MODIFIED, and the object stays readable. That is phase 1.",
		"Phase 2 is the write that takes the last finalizer away: it is the deletion, watchers see DELETED, and the row is gone in the same change.",
		"Below: ✓ what has been done, by whom, at which version; ○ what still holds the object. Who will act next is never guessed: last written by is what the managed fields say.",
		fmt.Sprintf("foregroundDeletion waits for dependents with blockOwnerDeletion; kubernetes, in a namespace's spec, waits until nothing is left in it. The badge counts what is terminating. At most %s ended deletions are kept.", count(keepDeletions)),
	}
}
