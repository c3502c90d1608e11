package doctor

import "fmt"

const (
	// someUnchanged is from how many writes without effect on they are reported: one or two happen wherever a client
	// starts again.
	someUnchanged = 5
	// manyUnchanged is from how many on they are a warning: by then they come from a loop.
	manyUnchanged = 10
)

// unchangedWrites finds accepted writes after which the object was the same as before.
type unchangedWrites struct{ tally[struct{}] }

func (u *unchangedWrites) add(r *request) {
	if r.reported && r.unchanged() && !r.lease() && len(ignoredStatus(r)) == 0 { // an ignored status has its own rule
		u.at(r.who(), r.ref).cost(r)
	}
}

func (u *unchangedWrites) report(*run) []Finding {
	return u.findings(func(one *instance[struct{}]) (Severity, string) {
		if one.count < someUnchanged {
			return "", ""
		}
		return warningFrom(manyUnchanged, one.count), fmt.Sprintf(
			"%s wrote %s %s within %s without changing it: each was accepted, none made a new revision.",
			one.who, nameOf(one.ref), times(one.count), brief(one.last.Sub(one.first)))
	})
}
