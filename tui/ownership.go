package tui

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/server/flow"
)

// A matrix is who owns which field of an object, and what an apply would make of it.
type matrix struct {
	manager string // who applies
	force   bool   // whether the request forced
	owners  []fieldOwner
	rows    []matrixRow
	counts  map[demand]int
}

// A matrixRow is one field: who of the owners has it, and what the request wants.
type matrixRow struct {
	path   string
	stored any
	wants  any    // nil if the request does not name it
	owns   []bool // by the index of the owner
	mine   bool   // whether the manager that applies has it already
	what   demand
}

// An demand is what the request does to a field.
type demand int

const (
	clashes demand = iota // asks for another value of somebody else's field
	givesUp               // owned it and does not name it any more
	shares                // asks for the value that it has, beside other owners
	sets                  // asks for it, and nobody else owns it
	ignores               // does not name it and does not own it
)

// makeMatrix lays the request of f over the owners of object, the version that it met.
func makeMatrix(f *flow.Flow, object any) *matrix {
	q, _ := url.ParseQuery(f.Query)
	m := &matrix{manager: q.Get("fieldManager"), force: q.Get("force") == "true", owners: ownersOf(object), counts: map[demand]int{}}
	config := sentObject(f)
	known, named := map[string]bool{}, map[string]bool{}
	for i := range m.owners {
		m.owners[i].set.Iterate(func(p fieldpath.Path) {
			if !known[p.String()] {
				known[p.String()] = true
				m.addOwned(p.Copy(), object, config)
				named[namedIn(config, p)] = true
			}
		})
	}
	m.addNew(config, named)
	slices.SortFunc(m.rows, func(a, b matrixRow) int {
		return cmp.Or(cmp.Compare(a.what, b.what), strings.Compare(a.path, b.path))
	})
	for _, r := range m.rows {
		m.counts[r.what]++
	}
	m.order()
	return m
}

// addOwned adds a field that somebody owns.
func (m *matrix) addOwned(p fieldpath.Path, object, config any) {
	r := matrixRow{path: pathText(p), stored: ownedValue(object, p), wants: ownedValue(config, p), owns: make([]bool, len(m.owners))}
	others := false
	for i := range m.owners {
		r.owns[i] = m.owners[i].set.Has(p)
		if m.owners[i].is(m.manager, true) {
			r.mine = r.mine || r.owns[i]
		} else {
			others = others || r.owns[i]
		}
	}
	switch {
	case r.wants != nil && others && !same(r.wants, r.stored):
		r.what = clashes
	case r.wants != nil && others:
		r.what = shares
	case r.wants != nil:
		r.what = sets
	case r.mine:
		r.what = givesUp
	default:
		r.what = ignores
	}
	m.rows = append(m.rows, r)
}

// addNew adds the fields of the request that nobody owns yet; owned are those that somebody does, as the request itself
// would name them.
func (m *matrix) addNew(config any, owned map[string]bool) {
	for path, v := range leaves(config) {
		known := ignoredField(path) || path == "metadata.name" || path == "metadata.namespace"
		for p := range owned {
			known = known || p != "" && (p == path || strings.HasPrefix(path, p+"[") || strings.HasPrefix(path, p+"."))
		}
		if !known {
			m.rows = append(m.rows, matrixRow{path: path, wants: v, owns: make([]bool, len(m.owners)), what: sets})
		}
	}
}

// order puts the owners that the request meets first, for they are what the reader looks for, and its own manager last.
func (m *matrix) order() {
	weight := make([]int, len(m.owners))
	for i := range m.owners {
		for _, r := range m.rows {
			if r.owns[i] && r.what == clashes {
				weight[i] += 1000
			} else if r.owns[i] && r.what != ignores {
				weight[i]++
			}
		}
	}
	idx := make([]int, len(m.owners))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	owners := make([]fieldOwner, len(idx))
	for to, from := range idx {
		owners[to] = m.owners[from]
	}
	for r := range m.rows {
		owns := make([]bool, len(idx))
		for to, from := range idx {
			owns[to] = m.rows[r].owns[from]
		}
		m.rows[r].owns = owns
	}
	m.owners = owners
}
