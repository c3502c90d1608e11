// Package deletion follows objects from their DELETE to the end: both phases, what holds each of them (finalizers,
// dependents, what is left in a namespace), and what was deleted because of what.
//
//	log := deletion.NewLog()
//	for _, f := range flows { // as they were published, which may differ a little from the order of their commits
//		log.Note(f)
//	}
//	for _, x := range log.All {
//		… // x.Holds, x.Took(now), log.Cause(x)
//	}
//
// Trim, which the caller calls, bounds a Log. PropagationOf and OptionsOf return what a single DELETE asked for.
//
// The package knows what requests changed, and no rule of any controller: it does not guess which controller owns a
// finalizer.
package deletion

import (
	"cmp"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Log has all deletions that are under way or have ended, taken from the effects of requests. It is not safe for
// concurrent use.
type Log struct {
	All   []*Deletion // in the order in which they began; to be read alone
	Gone  bool        // some that had ended were let go of
	open  map[object.Ref]*Deletion
	ended map[object.Ref]*Deletion // the last one of each object, of those in All
	began uint64                   // how many have begun

	dependents dependents
}

// NewLog returns an empty Log.
func NewLog() *Log {
	return &Log{
		open: map[object.Ref]*Deletion{}, ended: map[object.Ref]*Deletion{},
		dependents: dependents{of: map[string]map[object.Ref]bool{}},
	}
}

// MaxEnded is how many deletions that have ended Trim leaves.
const MaxEnded = 1000

// Open counts the objects that are terminating.
func (d *Log) Open() int { return len(d.open) }

// Note follows the deletions that a request begins, goes on with or ends, and reports whether there are any.
func (d *Log) Note(f *flow.Flow) (noted bool) {
	for _, e := range f.Effects {
		d.dependents.note(e)
		noted = d.note(f, e) || noted
	}
	return noted
}

func (d *Log) note(f *flow.Flow, e flow.Effect) bool {
	if e.Commit.Type != flow.Deleted && !object.Terminating(e.After) {
		return false
	}
	ref := object.RefOf(e.Commit)
	x := d.open[ref]
	known := cmp.Or(x, d.ended[ref])
	switch {
	case known == nil:
	case known.endedBy(e):
		known.attribute(momentOf(f, e.Commit))
		return true
	case e.Commit.Revision != 0 && e.Commit.Revision < known.newest:
		known.late(f, e)
		return true
	case known.Ended() && (e.Commit.Revision == 0 || known.newest == 0) && known.sameObject(e):
		// through a glass: the end of one of two requests that both were answered with it, or what came before it
		known.late(f, e)
		return true
	}
	if x == nil {
		d.began++
		x = &Deletion{ID: d.began}
		x.begin(f, e)
		d.All = append(d.All, x)
		d.open[ref] = x
	}
	x.step(f, e)
	if x.Ended() {
		delete(d.open, ref)
		d.ended[ref] = x
	}
	return true
}

// mostApart is how far apart an event may come from the answer of the request that it is about.
const mostApart = 5 * time.Second

// Committed ends the deletion that a commit ends, and reports whether there is one. The request of the commit may be
// noted before, afterwards, or never: where it was not recorded, or another server's.
func (d *Log) Committed(c flow.Commit) (noted bool) {
	ref := object.RefOf(c)
	if c.Type != flow.Deleted {
		return false
	}
	if x := d.ended[ref]; x != nil && x.Gone.Revision == 0 && c.At.Sub(x.Gone.At).Abs() < mostApart {
		x.date(c.Revision)
		return true
	}
	x := d.open[ref]
	if x == nil || c.Revision <= x.newest {
		return false
	}
	x.step(&flow.Flow{}, flow.Effect{Commit: c, Before: x.Newest})
	delete(d.open, ref)
	d.ended[ref] = x
	return true
}

// Adopt follows a deletion that began before anything was seen of it, with the object as it is now. It reports false,
// and does nothing, if the object is not terminating or its deletion is followed already.
func (d *Log) Adopt(c flow.Commit, stored []byte) bool {
	now := remainsOf(stored)
	if d.open[object.RefOf(c)] != nil || now.Metadata.DeletionTimestamp == nil {
		return false
	}
	d.began++
	x := &Deletion{ID: d.began, Late: true, Newest: stored, newest: c.Revision}
	x.Began = Moment{Revision: c.Revision, At: *now.Metadata.DeletionTimestamp}
	x.describe(object.RefOf(c), now)
	x.noteHolds(now)
	d.open[x.Ref] = x
	later := slices.IndexFunc(d.All, func(y *Deletion) bool { return y.Began.Revision > c.Revision })
	if later < 0 {
		later = len(d.All)
	}
	d.All = slices.Insert(d.All, later, x)
	d.dependents.note(flow.Effect{Commit: c, After: flow.Bytes(stored)})
	return true
}

// Trim forgets the oldest deletions that have ended, except MaxEnded of them; never the one with the ID keep, such as a
// selected one.
func (d *Log) Trim(keep uint64) {
	over := len(d.All) - len(d.open) - MaxEnded
	if over <= 0 {
		return
	}
	d.All = slices.DeleteFunc(d.All, func(x *Deletion) bool {
		if over <= 0 || !x.Ended() || x.ID == keep {
			return false
		}
		over--
		d.Gone = true
		if d.ended[x.Ref] == x {
			delete(d.ended, x.Ref)
		}
		return true
	})
}

// WaitsFor are the known dependents of a deletion's object: those with blockOwnerDeletion keep a deletion in the
// foreground from ending, the others do not. Both are in the order of their resources and names.
func (d *Log) WaitsFor(x *Deletion) (blocking, others []object.Ref) {
	for ref, blocks := range d.dependents.of[x.UID] {
		if blocks {
			blocking = append(blocking, ref)
		} else {
			others = append(others, ref)
		}
	}
	order := func(a, b object.Ref) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(blocking, order)
	slices.SortFunc(others, order)
	return blocking, others
}
