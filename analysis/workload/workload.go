// Package workload makes the tree of a workload from records alone: a Deployment with its ReplicaSets and their Pods, a
// StatefulSet with its claims and their volumes, a Service with its EndpointSlices. Each part names the request that
// created it; what led to that request is its chain (analysis/chain).
//
// An object belongs to its controller, or without one to its first owner that is known. Without any, a claim
// belongs to the newest StatefulSet that gives such names, a volume to the claim that names it, and an EndpointSlice to
// the Service of its label. Only objects whose change is in the records are known.
package workload

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Part is an object of a workload, and what belongs to it.
type Part struct {
	Object object.Ref
	UID    string
	Made   Step   // its creation; zero if that is not in the records
	Bound  Step   // of a Pod: the first version that names a node
	Ready  Step   // of a Pod: the first version whose condition Ready is true
	Gone   Step   // its removal; zero for a part that exists
	Node   string // of a Pod
	Phase  string // its status.phase, "" for a kind that has none
	Parts  []*Part

	last any // the newest version
}

// A Step is a commit and the request that made it. Its Revision is 0 where it is not known.
type Step struct {
	Revision int64
	At       time.Time
	Seq      uint64 // of the request
	Client   string // its tag
}

// Of returns the tree that an object belongs to, from its root on, as the flows show it: in the order of their commits.
// It is nil if no change of the object is among them. Of objects that had the same name one after another, the newest
// is meant.
func Of(flows []*flow.Flow, about object.Ref) *Part {
	all := read(flows)
	at := slices.IndexFunc(all, func(p *Part) bool { return p.Object == about })
	if at < 0 {
		return nil
	}
	parents := link(all)
	root, seen := all[at], map[*Part]bool{}
	for p := root; p != nil && !seen[p]; p = parents[p] {
		root, seen[p] = p, true
	}
	grow(root, children(all, parents), map[*Part]bool{})
	return root
}

// read returns the objects of the flows, the newest first.
func read(flows []*flow.Flow) []*Part {
	type change struct {
		*flow.Effect
		by *flow.Flow
	}
	var changes []change
	for _, f := range flows {
		for i := range f.Effects {
			if e := &f.Effects[i]; !object.ByClock(e.Commit.Resource) {
				changes = append(changes, change{e, f})
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Compare(a.Commit.Revision, b.Commit.Revision)
	})
	var all []*Part
	known := map[string]*Part{} // by uid
	for _, c := range changes {
		body := c.After
		if len(body) == 0 {
			body = c.Before
		}
		o := object.Parse(body)
		uid := object.TextIn(o, "metadata", "uid")
		if uid == "" {
			continue
		}
		p := known[uid]
		if p == nil {
			p = &Part{Object: object.RefOf(c.Commit), UID: uid}
			known[uid], all = p, append(all, p)
		}
		p.note(c.Commit, o, Step{c.Commit.Revision, c.Commit.At, c.by.Seq, c.by.Client.Tag})
	}
	slices.Reverse(all)
	return all
}

// note takes the next version of an object, the last one for its removal.
func (p *Part) note(c flow.Commit, o any, at Step) {
	p.last = o
	switch c.Type {
	case flow.Created:
		p.Made = at
	case flow.Deleted:
		p.Gone = at
		return
	}
	p.Phase = object.TextIn(o, "status", "phase")
	if p.Object.Resource != "pods" {
		return
	}
	if p.Node = object.TextIn(o, "spec", "nodeName"); p.Node != "" && p.Bound.Revision == 0 {
		p.Bound = at
	}
	if p.Ready.Revision == 0 && isReady(o) {
		p.Ready = at
	}
}

func isReady(pod any) bool {
	conditions, _ := object.In(pod, "status", "conditions").([]any)
	return slices.ContainsFunc(conditions, func(c any) bool {
		return object.TextIn(c, "type") == "Ready" && object.TextIn(c, "status") == "True"
	})
}

// link returns the part that each part belongs to.
func link(all []*Part) map[*Part]*Part {
	byUID, byRef := map[string]*Part{}, map[object.Ref]*Part{}
	claims := map[object.Ref]*Part{} // by their volumes
	var sets []*Part
	for _, p := range slices.Backward(all) { // of one name, the newest stays
		byUID[p.UID], byRef[p.Object] = p, p
		switch p.Object.Resource {
		case "statefulsets.apps":
			sets = append(sets, p)
		case "persistentvolumeclaims":
			if v := object.TextIn(p.last, "spec", "volumeName"); v != "" {
				claims[object.Ref{Resource: "persistentvolumes", Name: v}] = p
			}
		}
	}
	slices.Reverse(sets) // the newest first
	parents := map[*Part]*Part{}
	for _, p := range all {
		if owner := owner(p, byUID); owner != nil {
			parents[p] = owner
			continue
		}
		switch ns := p.Object.Namespace; p.Object.Resource {
		case "endpointslices.discovery.k8s.io":
			name := object.TextIn(p.last, "metadata", "labels", "kubernetes.io/service-name")
			parents[p] = byRef[object.Ref{Resource: "services", Namespace: ns, Name: name}]
		case "persistentvolumes":
			parents[p] = claims[p.Object]
		case "persistentvolumeclaims":
			i := slices.IndexFunc(sets, func(s *Part) bool { return s.Object.Namespace == ns && isClaim(s, p.Object.Name) })
			if i >= 0 {
				parents[p] = sets[i]
			}
		}
	}
	return parents
}

// owner returns the controller of a part, else its first owner that is known; nil if there is none.
func owner(p *Part, byUID map[string]*Part) (first *Part) {
	refs, _ := object.In(p.last, "metadata", "ownerReferences").([]any)
	for _, r := range refs {
		by := byUID[object.TextIn(r, "uid")]
		switch {
		case by == nil:
		case object.In(r, "controller") == true:
			return by
		case first == nil:
			first = by
		}
	}
	return first
}

// isClaim reports whether a claim's name is one that a StatefulSet gives: TEMPLATE-SET-ORDINAL.
func isClaim(set *Part, name string) bool {
	templates, _ := object.In(set.last, "spec", "volumeClaimTemplates").([]any)
	return slices.ContainsFunc(templates, func(t any) bool {
		ordinal, ok := strings.CutPrefix(name, object.TextIn(t, "metadata", "name")+"-"+set.Object.Name+"-")
		return ok && ordinal != "" && strings.Trim(ordinal, "0123456789") == ""
	})
}

// children turns the parents around, each one's parts oldest first.
func children(all []*Part, parents map[*Part]*Part) map[*Part][]*Part {
	out := map[*Part][]*Part{}
	for _, p := range slices.Backward(all) {
		if by := parents[p]; by != nil {
			out[by] = append(out[by], p)
		}
	}
	return out
}

// grow gives a part what belongs to it. Owners that own each other end there.
func grow(p *Part, below map[*Part][]*Part, seen map[*Part]bool) {
	seen[p] = true
	for _, part := range below[p] {
		if !seen[part] {
			p.Parts = append(p.Parts, part)
			grow(part, below, seen)
		}
	}
}
