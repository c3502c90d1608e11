package ownership

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
