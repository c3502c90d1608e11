package ownership

import "net/url"

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

// Others counts the owners of a field beside the manager that applies.
func (m *Matrix) Others(r *Row) int {
	n := 0
	for i := range r.Owns {
		if r.Owns[i] && !m.Owners[i].Is(m.Manager, true) {
			n++
		}
	}
	return n
}

func Forced(query string) bool {
	q, _ := url.ParseQuery(query)
	return q.Get("force") == "true"
}
