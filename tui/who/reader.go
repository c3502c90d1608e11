package who

import (
	"slices"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/page"
)

// A reader knows the clients of a run.
type reader struct {
	page.Slices
	of    func(tag string, now time.Time) *clients.Client
	read  int             // flows that were read
	seq   uint64          // the newest of them
	order []string        // the tags, in the order in which they came
	own   map[string]bool // whether it is one of Kubarium's own, by tag
}

func (r *reader) begin(e *page.Env) {
	known := clients.NewReader(func() []*flow.Watch { return e.Log.Watches(flow.Forever) })
	if e.Moment == nil {
		known.Held, known.Underway = func() []rule.Held { return e.Gate.Held }, e.Log.Underway
	}
	r.of, r.own = known.Of, map[string]bool{}
	r.Slices = page.Slices{Env: e, Then: func() { e.Dirty = true }, Read: func(f *flow.Flow) {
		if f.Seq > r.seq+1 { // what is skipped has aged out
			known.Missed(f.Seq - r.seq - 1)
		}
		known.Add(f)
		r.seq = f.Seq
		r.read++
		tag := f.Client.Tag
		if _, seen := r.own[tag]; !seen && tag != "" {
			r.own[tag] = f.Client.Own()
			r.order = append(r.order, tag)
		}
	}}
}

// tags are the clients, the one that came last first. Kubarium's own are among them if they are shown, and the shown
// one always is.
func (r *reader) tags(shown string) []string {
	out := make([]string, 0, len(r.order)+1)
	for _, tag := range slices.Backward(r.order) {
		if tag == shown || !r.own[tag] || r.Env.Feed.Own {
			out = append(out, tag)
		}
	}
	if shown != "" && !slices.Contains(out, shown) { // nothing of it has been read yet
		out = slices.Insert(out, 0, shown)
	}
	return out
}
