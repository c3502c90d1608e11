// Package compare lays two runs side by side, such as a test that passed and one that failed, and finds the first
// request where they part.
//
//	c := compare.Runs(passed, failed, compare.Options{})
//	if c.Parted != nil {
//		fmt.Println(c.Parted.Why)
//	}
//
// Requests are matched client by client: a client of one run is one of the other with the same program in its
// User-Agent. The same request is one with the same verb, resource, subresource, namespace, name and selectors. It
// differs when its answer has another status or reason, when another body was written, or when another user sent it.
// Values that differ in every run do not count: resourceVersions, uids, times, durations, ports, and the random parts
// of names, for which the names of one run are mapped to those of the other. The order of requests of different clients
// does not count either.
//
// Some differences are explained by timing alone; they are soft (see Soft), and runs do not part there. So are those
// that another passing run shows (Options.Also).
//
// The package knows only flows. It compares requests and the status of answers, not the contents of answers to reads.
package compare

import (
	"sync"

	"kubarium/flow"
)

// Runs compares two runs, whose flows may be in any order. It keeps the flows that it returns, and changes none.
func Runs(left, right []*flow.Flow, o Options) *Comparison {
	l, r := newRun(left, o), newRun(right, o)
	names := mapNames(l, r)
	var both sync.WaitGroup
	both.Go(func() { l.read(reader{known: names.left}) })
	both.Go(func() { r.read(reader{known: names.left, to: names}) })
	both.Wait()
	c := &Comparison{Left: len(l.items), Right: len(r.items), Names: names.byLeft()}
	for _, p := range pairClients(l, r) {
		m := newMatch(p)
		m.run()
		c.Rows = append(c.Rows, m.rows(names)...)
	}
	sortRows(c.Rows)
	c.setAside(left, right, o)
	c.part(names)
	return c
}

func (c *Comparison) part(names *names) {
	for i := range c.Rows {
		if c.Rows[i].Hard() {
			c.Parted = &Parting{Row: i, Why: c.Why(i)}
			return
		}
	}
}
