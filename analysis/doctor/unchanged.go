package doctor

import (
	"fmt"
)

const (
	// someUnchanged is from how many writes without effect on they are told: once or twice happens wherever a client starts anew.
	someUnchanged = 5
	// manyUnchanged is from how many on they are a warning: by then they come from a loop.
	manyUnchanged = 10
)

// unchangedWrites finds accepted writes after which the object was the same as before.
type unchangedWrites struct{ tally tally[struct{}] }

// unchanged tells whether a request was an accepted write that made no new revision. Only what is stored here has a revision in its
// answer: of a resource that another server holds nothing is known.
func unchanged(r *request) bool {
	return r.accepted() && r.changes() && len(r.Effects) == 0 && r.Revision > 0 && !r.dry()
}

func (u *unchangedWrites) add(r *request) {
	if r.reported && unchanged(r) && !r.lease() && len(ignoredStatus(r)) == 0 { // one that meant the status has a rule of its own
		one := u.tally.at(r.who(), r.ref)
		one.note(r)
		one.requests++
	}
}

func (u *unchangedWrites) report(*run) (out []Finding) {
	for _, one := range u.tally.all() {
		if one.count < someUnchanged {
			continue
		}
		severity := Note
		if one.count >= manyUnchanged {
			severity = Warning
		}
		out = append(out, one.finding(severity, fmt.Sprintf("%s wrote %s %s within %s without changing it: each was accepted, none made a new revision.",
			one.who, nameOf(one.ref), times(one.count), brief(one.last.Sub(one.first)))))
	}
	return out
}

func (*unchangedWrites) forget() {}
