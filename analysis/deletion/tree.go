package deletion

import (
	"cmp"
	"slices"

	"kubarium/flow/object"
)

// Tree lays the deletions out by what they were deleted because of: each row's cause is the last one above it that is
// less deep. A tree is in it, as a whole, if any of its deletions is wanted.
func (d *Log) Tree(wanted func(x *Deletion) bool) []Row {
	below := map[*Deletion][]*Deletion{}
	var roots []*Deletion
	places := d.places()
	for _, x := range d.All {
		if p := places.cause(x); p != nil {
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
	definitions map[string][]*Deletion // by the resource of commits, "widgets.example.io"; newest first
}

func (d *Log) places() places {
	p := places{map[string]*Deletion{}, map[string][]*Deletion{}, map[string][]*Deletion{}}
	for _, x := range slices.Backward(d.All) {
		if x.UID != "" && p.byUID[x.UID] == nil {
			p.byUID[x.UID] = x
		}
		switch x.Ref.Resource {
		case "namespaces":
			p.namespaces[x.Ref.Name] = append(p.namespaces[x.Ref.Name], x)
		case object.Definitions:
			p.definitions[x.Ref.Name] = append(p.definitions[x.Ref.Name], x)
		}
	}
	return p
}

// Cause is the deletion because of which x was deleted, nil if it was deleted for itself: an owner's that began before
// it, or that of its namespace or of its definition while it was under way.
func (d *Log) Cause(x *Deletion) *Deletion {
	p := d.places()
	return p.cause(x)
}

// Below are the deletions of which x is the Cause, in the order in which they began.
func (d *Log) Below(x *Deletion) (out []*Deletion) {
	p := d.places()
	for _, y := range d.All {
		if p.cause(y) == x {
			out = append(out, y)
		}
	}
	return out
}

func (p *places) cause(x *Deletion) *Deletion {
	for _, o := range x.Owners {
		if c := p.byUID[o.UID]; c != nil && c != x && c.Began.Revision <= x.Began.Revision {
			return c
		}
	}
	for _, c := range slices.Concat(p.namespaces[x.Ref.Namespace], p.definitions[x.Ref.Resource]) {
		if c.Began.Revision < x.Began.Revision && (!c.Ended() || x.Began.Revision <= c.Gone.Revision) {
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
		return cmp.Or(endedLast(a, b), cmp.Compare(a.Ref.Resource, b.Ref.Resource), cmp.Compare(a.ID, b.ID))
	})
	for i := 0; i < len(kids); i++ {
		end := i
		for end < len(kids) && kids[end].Ref.Resource == kids[i].Ref.Resource &&
			kids[end].Ended() && len(below[kids[end]]) == 0 {
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

// endedLast orders what is still there before what is gone.
func endedLast(a, b *Deletion) int {
	switch {
	case a.Ended() == b.Ended():
		return 0
	case b.Ended():
		return -1
	}
	return 1
}

// A Row is a line of the tree of deletions.
type Row struct {
	*Deletion
	Depth int // 0 for what was deleted for itself
	More  int // how many further ones of its resource, all gone, the row includes
}

// fewSiblings is how many deletions of one resource are listed below the same one before they are taken together.
const fewSiblings = 4
