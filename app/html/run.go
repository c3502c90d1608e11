package html

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"kubarium/analysis/chain"
	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/story"
)

// A builder makes the data of one run.
type builder struct {
	*Values
	flows   []*flow.Flow // in the order of Seq
	byID    map[uint64]*flow.Flow
	run     *Run
	clients map[flow.Client]int
	facts   *feed.Feed
	stored  stored
	streams []*flow.Watch // the watches of the run
}

// build makes the data of a run.
func (v *Values) build(s Source) *Run {
	flows := s.Flows
	b := &builder{
		Values: v, flows: flows, byID: map[uint64]*flow.Flow{}, clients: map[flow.Client]int{}, facts: feed.New(),
		run: &Run{Name: s.Name, Watches: []Watch{}, Objects: []Object{}, Clashes: []Clash{}, Deletes: []Deletion{}, More: []Details{}, Clients: []Client{}},
	}
	for _, column := range b.run.columns() {
		*column = make([]int, 0, len(flows))
	}
	if len(flows) > 0 {
		b.run.From = slices.MinFunc(flows, func(x, y *flow.Flow) int { return x.Start.Compare(y.Start) }).Start
	}
	if s.Missed > 0 {
		b.run.Notes = append(b.run.Notes, fmt.Sprintf("%d requests were no longer kept when they could be recorded.", s.Missed))
	}
	b.facts.Fold(flows)
	b.streams = opened(flows)
	b.objects()
	why := chain.NewReader(func() []*flow.Watch { return b.streams })
	for _, f := range flows {
		b.byID[f.Seq] = f
		found := why.Add(f)
		if f.Chain != nil {
			found = f.Chain
		}
		b.request(f)
		b.details(f, found)
	}
	b.watches()
	b.clashes()
	b.deletes()
	if s.Report == nil {
		s.Report = examined(flows)
	}
	b.run.Findings = s.Report.Findings
	return b.run
}

// examined is what the doctor finds in a run.
func examined(flows []*flow.Flow) *doctor.Report {
	who := doctor.New(doctor.Options{})
	for _, f := range flows {
		who.Add(f)
	}
	return who.Report()
}

// since is a time on the page.
func (b *builder) since(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.Sub(b.run.From).Microseconds()
}

// client is the place of a client.
func (b *builder) client(c flow.Client) int {
	key := flow.Client{Tag: c.Tag, UserAgent: c.UserAgent, User: c.User}
	n, known := b.clients[key]
	if !known {
		n = len(b.run.Clients)
		b.clients[key] = n
		b.run.Clients = append(b.run.Clients, Client{c.Tag, c.UserAgent, c.User})
	}
	return n
}

// columns are those of a run, in the order of a request's numbers.
func (r *Run) columns() []*[]int {
	return []*[]int{
		&r.Seq, &r.Phase, &r.At, &r.Took, &r.Who, &r.Verb, &r.Method, &r.Path, &r.Query, &r.Group, &r.Resource, &r.Sub, &r.In,
		&r.Object, &r.Code, &r.Reason, &r.Sent, &r.Version,
	}
}

// request adds a request to the columns.
func (b *builder) request(f *flow.Flow) {
	t := &f.Target
	for i, n := range []int{
		int(f.Seq), int(f.Phase), int(b.since(f.Start)), int(f.Duration.Microseconds()), b.client(f.Client), b.Word(t.Verb),
		b.Word(f.Method), b.Word(f.Path), b.Word(f.Query), b.Word(t.Group), b.Word(t.Resource), b.Word(t.Subresource),
		b.Word(t.Namespace), b.Word(t.Name), f.Status, b.Word(f.Reason), int(f.SentRevision), int(f.Revision),
	} {
		column := b.run.columns()[i]
		*column = append(*column, n)
	}
}

// opened are the watches of a run, in the order of their IDs.
func opened(flows []*flow.Flow) (out []*flow.Watch) {
	known := map[uint64]*flow.Watch{}
	for _, f := range flows {
		if f.Watch != nil {
			known[f.Watch.ID] = f.Watch
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		out = append(out, known[id])
	}
	return out
}

// teller knows what stories refer to.
func (b *builder) teller() story.Teller {
	return story.Teller{
		Wrote: func(rv int64) string { return b.facts.Writers[rv] }, Read: b.facts.Reader,
		Committed: func(rv int64) time.Time { return b.stored.committed[rv] },
	}
}
