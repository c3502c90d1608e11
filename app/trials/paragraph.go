package trials

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"kubarium/analysis/compare"
	"kubarium/analysis/explore"
	"kubarium/flow"
)

// mostEnds is how many differences at the end a paragraph names.
const mostEnds = 3

// paragraph sums a finding up: what was done to the controller, what it did otherwise, and how that ended.
func (j *judge) paragraph(f *finding) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s.", f.fault.What)
	if otherwise := j.otherwise(f); otherwise != "" {
		fmt.Fprintf(&s, " It then did otherwise (the first run is without the fault, the second with it): %s.", otherwise)
	}
	points := f.outcome.Points()
	fmt.Fprintf(&s, " How it ended: %s", strings.Join(points[:min(mostEnds, len(points))], "; "))
	if more := len(points) - mostEnds; more > 0 {
		fmt.Fprintf(&s, "; and %d more", more)
	}
	return s.String() + "."
}

// otherwise is what the client of a fault did otherwise, as "kubarium diff" says it: the other runs without the fault are
// its passing runs.
func (j *judge) otherwise(f *finding) string {
	base := j.bases[0]
	for i := range min(len(base.servers), len(f.run.servers)) {
		var o compare.Options
		for _, b := range j.bases[1:] {
			if i < len(b.servers) {
				o.Also = append(o.Also, b.servers[i].Flows)
			}
		}
		c := compare.Runs(base.servers[i].Flows, f.run.servers[i].Flows, o)
		if at, ok := f.tellingRow(c); ok {
			return c.Why(at)
		}
	}
	return ""
}

// tellingRow is the row of a comparison that says best what the client did otherwise: a deletion of an object that
// differs at the end, else another write of one, else any write that was accepted, else any request; of these the first.
func (f *finding) tellingRow(c *compare.Comparison) (row int, ok bool) {
	best := 0
	for at := range c.Rows {
		r := &c.Rows[at]
		of := flowOf(r)
		if !r.Hard() || of.Client.UserAgent != f.fault.Client || r.Right != nil && len(r.Right.Faults) > 0 {
			continue
		}
		rank := 1
		switch {
		case len(of.Effects) > 0 && f.differs(of) && of.Target.Verb == "delete":
			rank = 4
		case len(of.Effects) > 0 && f.differs(of):
			rank = 3
		case len(of.Effects) > 0:
			rank = 2
		}
		if rank > best {
			row, ok, best = at, true, rank
		}
	}
	return row, ok
}

// differs reports whether an object that a request is about differs at the end.
func (f *finding) differs(of *flow.Flow) bool {
	_, about, _ := strings.Cut(compare.Request(of), " of ")
	return slices.ContainsFunc(f.outcome.Differences, func(d explore.Difference) bool {
		alike, _ := path.Match(d.Object, about)
		return alike
	})
}

// flowOf is a row's request, in the faulty run if it has it.
func flowOf(r *compare.Row) *flow.Flow {
	if r.Right != nil {
		return r.Right
	}
	return r.Left
}
