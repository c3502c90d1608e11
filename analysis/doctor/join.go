package doctor

import (
	"fmt"
	"slices"
)

// Join puts the reports of several servers together, as of a test suite that starts some. Each finding names its
// server, since each server numbers its records by itself. One that speaks for several servers has the records of the
// one that it names first.
func Join(reports ...*Report) *Report {
	reports = slices.DeleteFunc(slices.Clone(reports), func(p *Report) bool { return p.Flows == 0 })
	if len(reports) == 1 {
		return reports[0]
	}
	all := &Report{}
	var clients []Client
	for i, p := range reports {
		if all.From.IsZero() || p.From.Before(all.From) {
			all.From = p.From
		}
		if p.To.After(all.To) {
			all.To = p.To
		}
		all.Flows += p.Flows
		all.Missed += p.Missed
		for _, c := range p.Clients {
			c.Tags = nil // each server gives its own
			clients = append(clients, c)
		}
		for _, f := range p.Findings {
			f.server, f.Objects = i+1, slices.Clone(f.Objects)
			f.one = fmt.Sprintf("Server %d of %d: %s", i+1, len(reports), f.sentence())
			f.What = fmt.Sprintf("Server %d of %d: %s", i+1, len(reports), f.What)
			all.Findings = append(all.Findings, f)
		}
	}
	all.Findings = merge(all.Findings)
	all.Clients = sum(clients)
	order(all.Findings)
	return all
}
