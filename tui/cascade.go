package tui

import (
	"cmp"
	"slices"

	"kubarium/server/flow"
)

// A treeRow is a line of the tree of deletions.
type treeRow struct {
	*deletion
	depth int
	more  int // how many further ones of its resource, all gone, it stands for
}

// fewSiblings is how many deletions of one resource are listed below the same one before they are taken together.
const fewSiblings = 4

// tree lays the deletions out by what they were deleted because of. A tree is shown if the filter lets through any of
// its requests; what Kubarium's own controllers deleted because of it is then shown with it.
func (d *deletes) tree() []treeRow {
	below := map[*deletion][]*deletion{}
	var roots []*deletion
	places := d.places()
	for _, x := range d.all {
		if p := places.cause(x); p != nil {
			below[p] = append(below[p], x)
		} else {
			roots = append(roots, x)
		}
	}
	var out []treeRow
	for _, r := range roots {
		if d.wanted(r, below) {
			out = d.addTree(out, r, 0, below)
		}
	}
	return out
}

// places find the deletions that others may be because of.
type places struct {
	byUID       map[string]*deletion
	namespaces  map[string][]*deletion // by name, newest first
	definitions map[string][]*deletion // of custom resources, by the resource that commits name: "widgets.example.io"; newest first
}

func (d *deletes) places() places {
	p := places{map[string]*deletion{}, map[string][]*deletion{}, map[string][]*deletion{}}
	for _, x := range slices.Backward(d.all) {
		if x.uid != "" && p.byUID[x.uid] == nil {
			p.byUID[x.uid] = x
		}
		switch x.ref.resource {
		case "namespaces":
			p.namespaces[x.ref.name] = append(p.namespaces[x.ref.name], x)
		case definitions:
			p.definitions[x.ref.name] = append(p.definitions[x.ref.name], x)
		}
	}
	return p
}

// cause is the deletion because of which x was deleted, nil if it was deleted for itself: an owner's that began before
// it, or that of its namespace or of its definition while it was under way.
func (p *places) cause(x *deletion) *deletion {
	for _, o := range x.owners {
		if c := p.byUID[o.UID]; c != nil && c != x && c.began.revision <= x.began.revision {
			return c
		}
	}
	for _, c := range slices.Concat(p.namespaces[x.ref.namespace], p.definitions[x.ref.resource]) {
		if c.began.revision < x.began.revision && (c.gone.zero() || x.began.revision <= c.gone.revision) {
			return c
		}
	}
	return nil
}

// wanted reports whether the filter lets any request of a tree through.
func (d *deletes) wanted(x *deletion, below map[*deletion][]*deletion) bool {
	for _, m := range []moment{x.began, x.gone} {
		if m.zero() {
			continue
		}
		f := d.u.log.Get(m.seq)
		if f == nil && d.u.feed.match == nil || f != nil && d.u.feed.verdict(f) == shows {
			return true
		}
	}
	return slices.ContainsFunc(below[x], func(y *deletion) bool { return d.wanted(y, below) })
}

// addTree adds a deletion and those below it: what is still there first, and many of one resource that are gone in one
// line.
func (d *deletes) addTree(out []treeRow, x *deletion, depth int, below map[*deletion][]*deletion) []treeRow {
	out = append(out, treeRow{deletion: x, depth: depth})
	kids := below[x]
	slices.SortStableFunc(kids, func(a, b *deletion) int {
		return cmp.Or(cmp.Compare(waits(b), waits(a)), cmp.Compare(a.ref.resource, b.ref.resource), cmp.Compare(a.id, b.id))
	})
	for i := 0; i < len(kids); i++ {
		end := i
		for end < len(kids) && kids[end].ref.resource == kids[i].ref.resource && !kids[end].gone.zero() && len(below[kids[end]]) == 0 {
			end++
		}
		if end-i > fewSiblings {
			out = append(out, treeRow{deletion: kids[i], depth: depth + 1, more: end - i - 1})
			i = end - 1
			continue
		}
		out = d.addTree(out, kids[i], depth+1, below)
	}
	return out
}

// waits is 1 for a deletion that has not ended.
func waits(x *deletion) int { return pick(x.gone.zero(), 1, 0) }

// waitsFor are the dependents that keep an object's deletion in the foreground from ending, and those that do not.
func (d *deletes) waitsFor(x *deletion) (blocking, others []objectRef) {
	for ref, dep := range d.dependents[x.uid] {
		if dep.blocks {
			blocking = append(blocking, ref)
		} else {
			others = append(others, ref)
		}
	}
	order := func(a, b objectRef) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.name, b.name))
	}
	slices.SortFunc(blocking, order)
	slices.SortFunc(others, order)
	return blocking, others
}

// commit names the object as commits do.
func (r objectRef) commit() flow.Commit {
	return flow.Commit{Resource: r.resource, Namespace: r.namespace, Name: r.name}
}

// text is the object as commits are named: "pods/db-0 @shop".
func (r objectRef) text() string { return objectName(r.commit()) }
