// Package deletion follows objects from their DELETE to the end: both phases, what holds each of them (finalizers, dependents, what is
// left in a namespace), and what was deleted because of what.
package deletion

import (
	"bytes"
	"cmp"
	"slices"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
)

// A dependent is an object that names an owner.
type dependent struct {
	blocks bool // the owner's foreground deletion waits for it
}

const (
	KeepDeletions  = 1000
	keepDependents = 20_000
)

// Log are all that is terminating or was deleted lately, as the effects of requests tell.
type Log struct {
	All   []*Deletion // as they began
	Open  map[object.Ref]*Deletion
	began uint64 // how many have begun

	dependents map[string]map[object.Ref]dependent // by the uid of the owner
	known      int                                 // dependents in all
}

func NewLog() Log {
	return Log{Open: map[object.Ref]*Deletion{}, dependents: map[string]map[object.Ref]dependent{}}
}

// Note follows the deletion that a change begins, goes on with or ends, and reports false for any other change.
func (d *Log) Note(f *flow.Flow, e flow.Effect) (noted bool) {
	if e.Commit.Type != flow.Deleted && !terminating(e.After) {
		return false
	}
	ref := object.RefOf(e.Commit)
	x := d.Open[ref]
	if x == nil {
		d.began++
		x = &Deletion{ID: d.began}
		x.begin(f, e)
		d.All = append(d.All, x)
		d.Open[ref] = x
	}
	x.step(f, e)
	if !x.Gone.Zero() {
		delete(d.Open, ref)
	}
	return true
}

// NoteOwners remembers who depends on whom, for what a deletion in the foreground waits for.
func (d *Log) NoteOwners(e flow.Effect) {
	marker := []byte(`"ownerReferences"`)
	ref := object.RefOf(e.Commit)
	if bytes.Contains(e.Before, marker) {
		for _, o := range RemainsOf(e.Before).Metadata.OwnerReferences {
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
	for _, o := range RemainsOf(e.After).Metadata.OwnerReferences {
		if d.dependents[o.UID] == nil {
			d.dependents[o.UID] = map[object.Ref]dependent{}
		}
		d.dependents[o.UID][ref] = dependent{o.BlockOwnerDeletion}
		d.known++
	}
}

// Trim forgets the oldest deletions that have ended, but for the one with this id.
func (d *Log) Trim(keep uint64) {
	over := len(d.All) - len(d.Open) - KeepDeletions
	if over <= 0 {
		return
	}
	kept := d.All[:0]
	for _, x := range d.All {
		if over > 0 && !x.Gone.Zero() && x.ID != keep {
			over--
			continue
		}
		kept = append(kept, x)
	}
	clear(d.All[len(kept):])
	d.All = kept
}

// Tree lays the deletions out by what they were deleted because of. A tree is in it if any of its deletions is wanted.
func (d *Log) Tree(wanted func(x *Deletion) bool) []Row {
	below := map[*Deletion][]*Deletion{}
	var roots []*Deletion
	places := d.Places()
	for _, x := range d.All {
		if p := places.Cause(x); p != nil {
			below[p] = append(below[p], x)
		} else {
			roots = append(roots, x)
		}
	}
	var out []Row
	for _, r := range roots {
		if anyWanted(r, below, wanted) {
			out = addTree(out, r, 0, below)
		}
	}
	return out
}

// places find the deletions that others may be because of.
type places struct {
	byUID       map[string]*Deletion
	namespaces  map[string][]*Deletion // by name, newest first
	definitions map[string][]*Deletion // of custom resources, by the resource that commits name: "widgets.example.io"; newest first
}

func (d *Log) Places() places {
	p := places{map[string]*Deletion{}, map[string][]*Deletion{}, map[string][]*Deletion{}}
	for _, x := range slices.Backward(d.All) {
		if x.UID != "" && p.byUID[x.UID] == nil {
			p.byUID[x.UID] = x
		}
		switch x.Ref.Resource {
		case "namespaces":
			p.namespaces[x.Ref.Name] = append(p.namespaces[x.Ref.Name], x)
		case "customresourcedefinitions.apiextensions.k8s.io":
			p.definitions[x.Ref.Name] = append(p.definitions[x.Ref.Name], x)
		}
	}
	return p
}

// Cause is the deletion because of which x was deleted, nil if it was deleted for itself: an owner's that began before
// it, or that of its namespace or of its definition while it was under way.
func (p *places) Cause(x *Deletion) *Deletion {
	for _, o := range x.Owners {
		if c := p.byUID[o.UID]; c != nil && c != x && c.Began.Revision <= x.Began.Revision {
			return c
		}
	}
	for _, c := range slices.Concat(p.namespaces[x.Ref.Namespace], p.definitions[x.Ref.Resource]) {
		if c.Began.Revision < x.Began.Revision && (c.Gone.Zero() || x.Began.Revision <= c.Gone.Revision) {
			return c
		}
	}
	return nil
}

// anyWanted reports whether a deletion is wanted, or one because of it.
func anyWanted(x *Deletion, below map[*Deletion][]*Deletion, wanted func(x *Deletion) bool) bool {
	return wanted(x) || slices.ContainsFunc(below[x], func(y *Deletion) bool { return anyWanted(y, below, wanted) })
}

// addTree adds a deletion and those below it: what is still there first, and many of one resource that are gone in one
// line.
func addTree(out []Row, x *Deletion, depth int, below map[*Deletion][]*Deletion) []Row {
	out = append(out, Row{Deletion: x, Depth: depth})
	kids := below[x]
	slices.SortStableFunc(kids, func(a, b *Deletion) int {
		return cmp.Or(cmp.Compare(Waits(b), Waits(a)), cmp.Compare(a.Ref.Resource, b.Ref.Resource), cmp.Compare(a.ID, b.ID))
	})
	for i := 0; i < len(kids); i++ {
		end := i
		for end < len(kids) && kids[end].Ref.Resource == kids[i].Ref.Resource && !kids[end].Gone.Zero() && len(below[kids[end]]) == 0 {
			end++
		}
		if end-i > fewSiblings {
			out = append(out, Row{Deletion: kids[i], Depth: depth + 1, More: end - i - 1})
			i = end - 1
			continue
		}
		out = addTree(out, kids[i], depth+1, below)
	}
	return out
}

// Waits is 1 for a deletion that has not ended.
func Waits(x *Deletion) int {
	if x.Gone.Zero() {
		return 1
	}
	return 0
}

// WaitsFor are the dependents that keep an object's deletion in the foreground from ending, and those that do not.
func (d *Log) WaitsFor(x *Deletion) (blocking, others []object.Ref) {
	for ref, dep := range d.dependents[x.UID] {
		if dep.blocks {
			blocking = append(blocking, ref)
		} else {
			others = append(others, ref)
		}
	}
	order := func(a, b object.Ref) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(blocking, order)
	slices.SortFunc(others, order)
	return blocking, others
}

// A Row is a line of the tree of deletions.
type Row struct {
	*Deletion
	Depth int
	More  int // how many further ones of its resource, all gone, it stands for
}

// fewSiblings is how many deletions of one resource are listed below the same one before they are taken together.
const fewSiblings = 4
