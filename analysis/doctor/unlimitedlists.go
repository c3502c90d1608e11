package doctor

import "fmt"

const (
	// manyItems is from how many objects on a list is a large one: the size of a chunk in the page's own example, and of
	// kubectl's.
	manyItems = 500
	// manyLarge is from how many such lists on they are a warning: one at the start of a client may be all that there is.
	manyLarge = 2
)

// unlimitedLists finds lists without a limit that returned many objects.
type unlimitedLists struct{ listTally }

func (l *unlimitedLists) add(r *request) {
	if !r.reported || !listed(r) || r.Page.Items < manyItems || r.Page.Limit > 0 || r.Page.Token != "" ||
		r.param("limit") > "0" || r.param("resourceVersion") == "0" {
		return
	}
	countList(l.in(r.rhythm), r)
}

func (l *unlimitedLists) report(*run) []Finding {
	sum := l.sum()
	return sum.findings(func(one *instance[lists]) (Severity, string) {
		return warningFrom(manyLarge, one.count), fmt.Sprintf(
			"%s listed %s %s without a limit and got up to %d objects at once, %s in all.",
			one.who, nameOf(one.ref), times(one.count), one.own.most, Size(one.own.bytes))
	})
}
