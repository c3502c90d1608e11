package deletion

import (
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Deletion is the end of one object, from the write that set its deletionTimestamp, or removed it at once, to the one
// that took its row away.
type Deletion struct {
	ID          uint64 // counts the deletions that the Log has seen, from 1
	Ref         object.Ref
	UID         string
	Owners      []object.OwnerRef // of the object as it was when its deletion began
	Began       Moment
	Gone        Moment      // zero while it is there
	Holds       []Hold      // finalizers that it has had since it began, in the order in which they came
	Propagation Propagation // what was to become of dependents
	Grace       int64       // seconds of grace that it was given; 0 for none
	Ends        time.Time   // when that is over; zero without grace
	Newest      []byte      // the object as it was stored last, JSON
	newest      int64       // the newest revision of it that is noted
	Late        bool        // it was terminating already when the Log saw it first: who deleted it is not known
}

// A Moment is one write of a deletion. The zero moment has not come.
type Moment struct {
	Revision  int64
	At        time.Time
	Seq       uint64 // of the request; 0 if it was not recorded
	Who, Verb string // the tag of its client, and what it asked for
}

// Zero reports whether it has not come.
func (m Moment) Zero() bool { return m.At.IsZero() }

// A Hold is a finalizer: as long as it is there, so is the object.
type Hold struct {
	Name    string
	Removed Moment // zero while it holds
	Spec    bool   // of a namespace's spec.finalizers
}

func momentOf(f *flow.Flow, c flow.Commit) Moment {
	return Moment{c.Revision, c.At, f.Seq, f.Client.Tag, f.Target.Verb}
}

// begin notes the first write of a deletion.
func (d *Deletion) begin(f *flow.Flow, e flow.Effect) {
	d.Began = momentOf(f, e.Commit)
	d.Propagation, _ = PropagationOf(f, e)
	d.Late = object.Terminating(e.Before)
	d.describe(object.RefOf(e.Commit), remainsOf(e.Before))
}

// describe notes which object it is.
func (d *Deletion) describe(ref object.Ref, r remains) {
	d.Ref, d.UID, d.Owners = ref, r.Metadata.UID, r.Metadata.OwnerReferences
}

// noteHolds adds the finalizers of a version that are not known yet.
func (d *Deletion) noteHolds(r remains) {
	add := func(names []string, spec bool) {
		for _, n := range names {
			known := slices.ContainsFunc(d.Holds, func(h Hold) bool { return h.Name == n && h.Spec == spec && h.Removed.Zero() })
			if !known {
				d.Holds = append(d.Holds, Hold{Name: n, Spec: spec})
			}
		}
	}
	add(r.specFinalizers(), true)
	add(r.Metadata.Finalizers, false)
}

// step notes a further write of an object that is being deleted; the last one has no object after it.
func (d *Deletion) step(f *flow.Flow, e flow.Effect) {
	d.newest = e.Commit.Revision
	m := momentOf(f, e.Commit)
	d.noteHolds(remainsOf(e.Before))
	r := remainsOf(e.After)
	if e.After != nil {
		d.noteHolds(r)
		d.Newest = e.After
		d.Grace = r.Metadata.DeletionGracePeriodSeconds
		if t := r.Metadata.DeletionTimestamp; t != nil && d.Grace > 0 {
			d.Ends = *t
		}
	}
	spec := r.specFinalizers()
	for i := range d.Holds {
		h := &d.Holds[i]
		now := r.Metadata.Finalizers
		if h.Spec {
			now = spec
		}
		if h.Removed.Zero() && !slices.Contains(now, h.Name) {
			h.Removed = m
		}
	}
	if e.After == nil {
		d.Gone = m
		if d.Newest == nil {
			d.Newest = e.Before
		}
	}
}

// late notes a write that arrives after a later one: flows are published when their answers have been sent. A DELETE
// may arrive after the write that took the last finalizer away.
func (d *Deletion) late(f *flow.Flow, e flow.Effect) {
	was, is := remainsOf(e.Before), remainsOf(e.After)
	if was.Metadata.UID != d.UID {
		return // an earlier object of that name
	}
	if r := e.Commit.Revision; r != 0 && (r < d.Began.Revision || d.Began.Revision == 0) {
		d.begin(f, e)
	}
	d.noteTaken(was.Metadata.Finalizers, is.Metadata.Finalizers, false, momentOf(f, e.Commit))
	d.noteTaken(was.specFinalizers(), is.specFinalizers(), true, momentOf(f, e.Commit))
}

// sameObject reports whether a write was about this object, by UID.
func (d *Deletion) sameObject(e flow.Effect) bool {
	return d.UID != "" && d.UID == remainsOf(e.Before).Metadata.UID
}

// endedBy reports whether the end of the deletion, which was seen as a commit alone, is this effect of a request. At a
// glass the request does not say its revision.
func (d *Deletion) endedBy(e flow.Effect) bool {
	if !d.Ended() || d.Gone.Seq != 0 || e.After != nil || e.Commit.Revision != 0 && e.Commit.Revision != d.newest {
		return false
	}
	uid := remainsOf(e.Before).Metadata.UID
	return uid == "" || uid == d.UID
}

// date says at which revision a deletion ended whose request did not say it.
func (d *Deletion) date(revision int64) {
	one, m := !d.TwoPhase(), d.Gone
	m.Revision = revision
	d.newest = revision
	d.end(m)
	if one {
		d.Began.Revision = revision
	}
}

// attribute says whose request ended the deletion.
func (d *Deletion) attribute(m Moment) {
	m.Revision = d.Gone.Revision
	d.end(m)
}

// end corrects what is known of the end, with the finalizers that it took away.
func (d *Deletion) end(m Moment) {
	for i := range d.Holds {
		if d.Holds[i].Removed == d.Gone {
			d.Holds[i].Removed = m
		}
	}
	d.Gone = m
}

// noteTaken adds the finalizers that a late write took away.
func (d *Deletion) noteTaken(was, is []string, spec bool, m Moment) {
	for _, n := range was {
		known := slices.ContainsFunc(d.Holds, func(h Hold) bool { return h.Name == n && h.Spec == spec })
		if !slices.Contains(is, n) && !known {
			d.Holds = append(d.Holds, Hold{Name: n, Spec: spec, Removed: m})
		}
	}
}

// Held counts the finalizers that are still there.
func (d *Deletion) Held() int {
	n := 0
	for _, h := range d.Holds {
		if h.Removed.Zero() {
			n++
		}
	}
	return n
}

// Ended reports whether the object is gone.
func (d *Deletion) Ended() bool { return !d.Gone.Zero() }

// TwoPhase reports whether the object was terminating before it was gone.
func (d *Deletion) TwoPhase() bool { return !d.Ended() || d.Gone.Revision != d.Began.Revision }

// Took is the time from the first write to the last one, or to now.
func (d *Deletion) Took(now time.Time) time.Duration {
	if !d.Ended() {
		return now.Sub(d.Began.At)
	}
	return d.Gone.At.Sub(d.Began.At)
}
