package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	// longTerminating is from when on an object that waits for a finalizer is reported: cleaning up in the cluster takes
	// less.
	longTerminating = 10 * time.Second
	// stuckTerminating is from when on it is a warning: things outside the cluster may have to be removed first.
	stuckTerminating = 30 * time.Second
	// maxLeft is how many such objects a report counts.
	maxLeft = 200
)

// finalizersLeft finds objects that are terminating while no client takes their finalizers away.
type finalizersLeft struct {
	deletions *deletion.Log
	managers  ongoing[string, *activity] // by the name of the field manager
	deleters  ongoing[uint64, string]    // who began a deletion, by the number of its request
	reported  ongoing[uint64, bool]
	// touched has, by objects that are terminating, the managers that sent something about them since.
	touched ongoing[object.Ref, set]
}

// An activity is what a manager has done.
type activity struct {
	last    time.Time
	watches int // open ones of its program
}

func (x *finalizersLeft) add(r *request) {
	if x.deletions == nil {
		*x = finalizersLeft{deletions: deletion.NewLog()}
	}
	x.activity(r)
	if by := x.touched[r.ref]; by != nil && len(by) < maxRecords {
		by.add(maxRecords+1, r.client.program, r.manager())
	}
	for i := range r.Effects {
		e := &r.Effects[i]
		if e.After == nil || object.Terminating(e.After) {
			x.note(r)
			return
		}
	}
}

// note follows the deletions of a request.
func (x *finalizersLeft) note(r *request) {
	x.deletions.Note(r.Flow)
	x.deletions.Trim(0)
	for i := range r.Effects {
		ref := object.RefOf(r.Effects[i].Commit)
		if r.Effects[i].After == nil {
			delete(x.touched, ref)
		} else if x.touched[ref] == nil {
			x.touched.put(ref, set{})
		}
	}
	x.deleters.put(r.Seq, r.who())
	if r.reported {
		x.reported.put(r.Seq, true)
	}
}

// activity notes that a client is there, under the names by which it would own fields.
func (x *finalizersLeft) activity(r *request) {
	a := follow(&x.managers, r.client.program)
	if r.end.After(a.last) {
		a.last = r.end
	}
	switch {
	case watched(r):
		a.watches++
	case r.Phase == flow.WatchClosed:
		a.watches = max(0, a.watches-1)
	case r.changes() || r.Target.Verb == "create":
		if m := r.param("fieldManager"); m != "" && m != r.client.program {
			follow(&x.managers, m).last = r.end
		}
	}
}

func (x *finalizersLeft) report(of *run) (out []Finding) {
	if x.deletions == nil {
		return nil
	}
	for _, d := range x.deletions.All {
		if d.Ended() || of.now.Sub(d.Began.At) < longTerminating || len(out) >= maxLeft ||
			!x.reported[d.Began.Seq] || !of.revisions.complete(d.Began.Revision) {
			continue
		}
		if f, ok := x.left(d, of); ok {
			out = append(out, f)
		}
	}
	return out
}

// left is the finding about a deletion whose finalizers no client takes away.
func (x *finalizersLeft) left(d *deletion.Deletion, of *run) (Finding, bool) {
	var names, writers []string
	watching, there := false, false
	for _, h := range d.Holds {
		if !h.Removed.Zero() || h.Spec || builtIn(h.Name) {
			continue
		}
		writer := d.WriterOf(h)
		if x.touched[d.Ref][writer] {
			return Finding{}, false // it may be at work
		}
		if a := x.managers[writer]; a != nil && writer != "" {
			watching = watching || a.watches > 0
			there = there || a.last.After(d.Began.At.Add(time.Second)) // what it sends within a second may be the DELETE itself
		}
		names = append(names, cut(h.Name))
		if writer = cmp.Or(cut(writer), "an unknown client"); !slices.Contains(writers, writer) {
			writers = append(writers, writer)
		}
	}
	if len(names) == 0 {
		return Finding{}, false
	}
	took := of.now.Sub(d.Began.At)
	severity, since := Note, "sent nothing since"
	switch {
	case there && took < stuckTerminating:
		return Finding{}, false
	case there:
		since = "is there, and sent nothing about it since"
	case took >= stuckTerminating && !watching:
		severity = Warning
	}
	s := fmt.Sprintf("%s has been terminating for %s: it waits for %s, last written by %s, who %s",
		nameOf(d.Ref), brief(took), strings.Join(names, ", "), strings.Join(writers, ", "), since)
	return Finding{
		Severity: severity, Client: cmp.Or(x.deleters[d.Began.Seq], d.Began.Who), Object: nameOf(d.Ref), What: s + ".",
		Count: len(names), Records: []uint64{d.Began.Seq}, First: d.Began.At, Last: of.now,
		resource: d.Ref.Resource, waited: took,
	}, true
}

// builtIn reports whether a finalizer is one of Kubernetes' own, which no client of this run need have written: orphan,
// foregroundDeletion, kubernetes.io/pvc-protection.
func builtIn(finalizer string) bool {
	domain, _, qualified := strings.Cut(finalizer, "/")
	return !qualified || domain == "kubernetes.io" ||
		strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io")
}

// forget drops the deletions: a write that took a finalizer away may be missing, and so may the end of a watch.
func (x *finalizersLeft) forget() {
	x.deletions = nil
}
