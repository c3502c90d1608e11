// Package ownership says which manager owns which fields of an object, by its managedFields, and what an apply would
// change of that ("Server-Side Apply" in the Kubernetes documentation).
//
// Of reads the owners of an object. MakeMatrix lays the request of an apply over them, whether it was refused, forced
// or neither: each field with what is stored, what the request wants, and what comes of that without force (Row.What)
// and with it (ValueAfter, OwnsAfter).
//
// The package knows no schemas and merges nothing: what an apply that went through has really changed is in the flow's
// effects.
package ownership

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A Matrix is who owns which field of an object, and what an apply would make of it.
type Matrix struct {
	Manager     string         // who applies
	Subresource string         // to which; "" for the main resource
	Force       bool           // whether the request forced
	Owners      []Owner        // those whose fields the request contests first
	Rows        []Row          // in the order of What, and of their paths
	Counts      map[Demand]int // of rows
}

// A Row is one field: who of the owners has it, and what the request wants.
type Row struct {
	Path   string
	Stored any    // nil if the object has no such field
	Wants  any    // nil if the request does not name it
	Owns   []bool // by the index of the owner
	Mine   bool   // whether the manager that applies has it already
	What   Demand
}

// A Demand is what the request does to a field. In their order a reader wants to see them.
type Demand int

const (
	Clashes Demand = iota // asks for another value of a field of another manager
	GivesUp               // owned it and does not name it any more
	Shares                // asks for the value that it has, as other owners do
	Sets                  // asks for it, and no other manager owns it
	Ignores               // does not name it and does not own it
)

// MakeMatrix lays the request of f, an apply, over the owners of the object that it met, a plain value.
func MakeMatrix(f *flow.Flow, stored any) *Matrix {
	q, _ := url.ParseQuery(f.Query)
	m := &Matrix{
		Manager: q.Get("fieldManager"), Subresource: f.Target.Subresource, Force: Forced(f.Query),
		Owners: Of(stored), Counts: map[Demand]int{},
	}
	config := object.Sent(f)
	known, named := map[string]bool{}, map[string]bool{}
	for i := range m.Owners {
		m.Owners[i].Set.Iterate(func(p fieldpath.Path) {
			if !known[p.String()] {
				known[p.String()] = true
				m.addOwned(p.Copy(), stored, config)
				named[namedIn(config, p)] = true
			}
		})
	}
	m.addNew(config, named)
	slices.SortFunc(m.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.What, b.What), strings.Compare(a.Path, b.Path))
	})
	for _, r := range m.Rows {
		m.Counts[r.What]++
	}
	m.order()
	return m
}

// addOwned adds a field that has an owner.
func (m *Matrix) addOwned(p fieldpath.Path, stored, config any) {
	r := Row{Path: PathText(p), Stored: ValueAt(stored, p), Wants: ValueAt(config, p), Owns: make([]bool, len(m.Owners))}
	others := false
	for i := range m.Owners {
		r.Owns[i] = m.Owners[i].Set.Has(p)
		if m.Mine(i) {
			r.Mine = r.Mine || r.Owns[i]
		} else {
			others = others || r.Owns[i]
		}
	}
	switch {
	case r.Wants != nil && others && !object.Same(r.Wants, r.Stored):
		r.What = Clashes
	case r.Wants != nil && others:
		r.What = Shares
	case r.Wants != nil:
		r.What = Sets
	case r.Mine:
		r.What = GivesUp
	default:
		r.What = Ignores
	}
	m.Rows = append(m.Rows, r)
}

// addNew adds the fields of the request that have no owner yet; owned are those that have one, as the request itself
// would name them.
func (m *Matrix) addNew(config any, owned map[string]bool) {
	for path, v := range object.Leaves(config) {
		known := object.Ignored(path) || path == "metadata.name" || path == "metadata.namespace"
		for p := range owned {
			known = known || p != "" && (p == path || strings.HasPrefix(path, p+"[") || strings.HasPrefix(path, p+"."))
		}
		if !known {
			m.Rows = append(m.Rows, Row{Path: path, Wants: v, Owns: make([]bool, len(m.Owners)), What: Sets})
		}
	}
}

// order puts the owners that the request meets first, for they are what the reader looks for, and its own manager last.
func (m *Matrix) order() {
	weight := make([]int, len(m.Owners))
	for i := range m.Owners {
		for _, r := range m.Rows {
			if r.Owns[i] && r.What == Clashes {
				weight[i] += 1000
			} else if r.Owns[i] && r.What != Ignores {
				weight[i]++
			}
		}
	}
	idx := make([]int, len(m.Owners))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	owners := make([]Owner, len(idx))
	for to, from := range idx {
		owners[to] = m.Owners[from]
	}
	for r := range m.Rows {
		owns := make([]bool, len(idx))
		for to, from := range idx {
			owns[to] = m.Rows[r].Owns[from]
		}
		m.Rows[r].Owns = owns
	}
	m.Owners = owners
}

// Mine reports whether an owner, by its index, is the manager that applies. The same manager is another owner for
// what it writes otherwise than by apply, or to another subresource.
func (m *Matrix) Mine(i int) bool {
	o := &m.Owners[i]
	return o.Name == m.Manager && o.Operation == "Apply" && o.Subresource == m.Subresource
}

// Forced reports whether an apply with this query forces, by the API server's rule for booleans: all except "false" and
// "0" is true.
func Forced(query string) bool {
	q, _ := url.ParseQuery(query) // of what does not read, what does
	force, asked := q["force"]
	return asked && force[0] != "0" && !strings.EqualFold(force[0], "false")
}
