package ownership

import (
	"net/url"
	"strings"
)

// ValueAfter is the field's value once the apply went through with force; nil if the field is gone.
func (m *Matrix) ValueAfter(r *Row) any {
	switch {
	case r.Wants != nil:
		return r.Wants
	case r.What == GivesUp && m.Others(r) == 0:
		return nil
	}
	return r.Stored
}

// OwnsAfter returns who owns the field once the apply went through with force, by the index of the owner: of a
// contested field only the manager that applies. mine says whether that manager is an owner, as it need not be among
// the owners yet.
func (m *Matrix) OwnsAfter(r *Row) (owns []bool, mine bool) {
	mine = r.Wants != nil
	for i, had := range r.Owns {
		switch {
		case m.Mine(i):
			had = mine
		case r.What == Clashes:
			had = false
		}
		owns = append(owns, had)
	}
	return owns, mine
}

// Mine reports whether an owner, by its index, is the manager that applies. The same manager is another owner for
// what it writes otherwise than by apply, or to another subresource.
func (m *Matrix) Mine(i int) bool {
	o := &m.Owners[i]
	return o.Name == m.Manager && o.Operation == "Apply" && o.Subresource == m.Subresource
}

// Others counts the owners of a field other than the manager that applies.
func (m *Matrix) Others(r *Row) int {
	n := 0
	for i, owns := range r.Owns {
		if owns && !m.Mine(i) {
			n++
		}
	}
	return n
}

// Forced reports whether an apply with this query forces, by the API server's rule for booleans: all except "false" and
// "0" is true.
func Forced(query string) bool {
	q, _ := url.ParseQuery(query) // of what does not read, what does
	force, asked := q["force"]
	return asked && force[0] != "0" && !strings.EqualFold(force[0], "false")
}
