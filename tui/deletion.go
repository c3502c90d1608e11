package tui

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"kubarium/server/flow"
)

// A deletion is the end of one object, from the write that set its deletionTimestamp, or removed it at once, to the one
// that took its row away.
type deletion struct {
	id     uint64 // counts the deletions that the UI has seen
	ref    objectRef
	kind   string
	uid    string
	owners []ownerRef
	began  moment
	gone   moment // zero while it is there
	holds  []hold // finalizers that it has had since it began, in the order in which they came
	policy string // what the DELETE asked to become of dependents; "" for the default
	grace  int64  // seconds of grace that it was given; 0 for none
	ends   time.Time
	newest []byte // as stored last
	late   bool   // it was terminating already when the UI saw it first
}

// A moment is one write in the course of a deletion. The zero moment has not come.
type moment struct {
	revision  int64
	at        time.Time
	seq       uint64
	who, verb string
}

func (m moment) zero() bool { return m.at.IsZero() }

// A hold is a finalizer: as long as it is there, so is the object.
type hold struct {
	name    string
	removed moment // zero while it holds
	spec    bool   // of a namespace's spec
}

// An ownerRef is an entry of an object's ownerReferences.
type ownerRef struct {
	APIVersion, Kind, Name, UID    string
	Controller, BlockOwnerDeletion bool
}

// remains is what of an object its deletion depends on.
type remains struct {
	Kind     string
	Metadata struct {
		UID                        string
		DeletionTimestamp          *time.Time
		DeletionGracePeriodSeconds int64
		Finalizers                 []string
		OwnerReferences            []ownerRef
	}
	Spec struct{ Finalizers json.RawMessage }
}

// remainsOf reads what an object's deletion depends on.
func remainsOf(b []byte) (r remains) {
	// What does not read has nothing that holds it: such an object is removed by force.
	_ = json.Unmarshal(b, &r)
	return r
}

// specFinalizers are those that a namespace has in its spec.
func (r *remains) specFinalizers() []string {
	var out []string
	if r.Kind == "Namespace" && json.Unmarshal(r.Spec.Finalizers, &out) != nil {
		return nil
	}
	return out
}

// terminating tells without parsing whether an object may be on its way out.
func terminating(object []byte) bool { return bytes.Contains(object, []byte(`"deletionTimestamp":"`)) }

func momentOf(f *flow.Flow, c flow.Commit) moment {
	return moment{c.Revision, c.At, f.Seq, f.Client.Tag, f.Target.Verb}
}

// begin notes the first write of a deletion.
func (d *deletion) begin(f *flow.Flow, e flow.Effect) {
	d.began = momentOf(f, e.Commit)
	d.policy = policyOf(f)
	d.late = terminating(e.Before)
	d.describe(refOf(e.Commit), remainsOf(e.Before))
}

// describe notes which object it is.
func (d *deletion) describe(ref objectRef, r remains) {
	d.ref, d.uid, d.kind, d.owners = ref, r.Metadata.UID, r.Kind, r.Metadata.OwnerReferences
}

// hold adds the finalizers of a version that are not known yet.
func (d *deletion) hold(r remains) {
	add := func(names []string, spec bool) {
		for _, n := range names {
			known := slices.ContainsFunc(d.holds, func(h hold) bool { return h.name == n && h.spec == spec && h.removed.zero() })
			if !known {
				d.holds = append(d.holds, hold{name: n, spec: spec})
			}
		}
	}
	add(r.specFinalizers(), true)
	add(r.Metadata.Finalizers, false)
}

// step notes a further write of an object that is being deleted; the last one has no object after it.
func (d *deletion) step(f *flow.Flow, e flow.Effect) {
	m := momentOf(f, e.Commit)
	d.hold(remainsOf(e.Before))
	r := remainsOf(e.After)
	if e.After != nil {
		d.hold(r)
		d.newest = e.After
		d.grace = r.Metadata.DeletionGracePeriodSeconds
		if t := r.Metadata.DeletionTimestamp; t != nil && d.grace > 0 {
			d.ends = *t
		}
	}
	spec := r.specFinalizers()
	for i := range d.holds {
		h := &d.holds[i]
		if h.removed.zero() && !slices.Contains(pick(h.spec, spec, r.Metadata.Finalizers), h.name) {
			h.removed = m
		}
	}
	if e.After == nil {
		d.gone = m
		if d.newest == nil {
			d.newest = e.Before
		}
	}
}

// held counts the finalizers that are still there.
func (d *deletion) held() int {
	n := 0
	for _, h := range d.holds {
		if h.removed.zero() {
			n++
		}
	}
	return n
}

// twoPhase reports whether the object was terminating before it was gone.
func (d *deletion) twoPhase() bool { return d.gone.zero() || d.gone.revision != d.began.revision }

// took is the time from the first write to the last one, or to now.
func (d *deletion) took(now time.Time) time.Duration {
	if d.gone.zero() {
		return now.Sub(d.began.at)
	}
	return d.gone.at.Sub(d.began.at)
}

// policyOf is the propagation policy that a delete names in its query or its body.
func policyOf(f *flow.Flow) string {
	if f.Target.Verb != "delete" && f.Target.Verb != "deletecollection" {
		return ""
	}
	if q, err := url.ParseQuery(f.Query); err == nil && q.Get("propagationPolicy") != "" {
		return q.Get("propagationPolicy")
	}
	return textIn(sentObject(f), "propagationPolicy")
}
