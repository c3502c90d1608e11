package explore

import (
	"fmt"
	"math"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/object"
	"kubarium/flow/rule"
)

// A write is a request of a client that changed something.
type write struct {
	*flow.Flow
	on   *filter.Filter // that means it, and those like it
	nth  int            // of the writes like it, from 1
	of   string         // "create of configmaps shop/web"
	time int            // how often the client did the same by then, to an object of the same name, from 1
}

// writes are those of the clients that are tried, in their order.
func (p *planner) writes() []write { return p.writesOf(p.tried) }

// writesOf are the writes of clients that are meant, without those of objects that come and go by the clock.
func (p *planner) writesOf(meant func(*flow.Flow) bool) (out []write) {
	count, done := map[string]int{}, map[string]int{}
	for _, f := range p.server.Flows {
		if !meant(f) || f.Start.Before(p.o.From) || f.Phase == flow.WatchClosed || len(f.Effects) == 0 || f.Status >= 300 || p.server.volatile(object.RefOf(f.Effects[0].Commit)) {
			continue
		}
		w := write{Flow: f, on: p.meantBy(f)}
		key := w.on.String()
		count[key]++
		w.nth = count[key]
		e := &f.Effects[0].Commit
		if f.Target.Name != "" && !p.named(object.RefOf(*e)) { // the filter has no name, so it means those of named objects too
			w.nth = 1 + matching(out, w.on)
		}
		name := e.Name
		if !p.named(object.RefOf(*e)) {
			name = namesOf(nil).of(name)
		}
		w.of = fmt.Sprintf("%s of %s", f.Target.Verb, describe(withSub(&f.Target), e.Namespace, name))
		did := f.Client.UserAgent + " " + w.of
		done[did]++
		w.time = done[did]
		out = append(out, w)
	}
	return out
}

// matching is how many writes a filter means.
func matching(all []write, on *filter.Filter) (n int) {
	for _, w := range all {
		if on.Match(w.Flow) {
			n++
		}
	}
	return n
}

// meantBy is a filter for writes like one: of the same client, with the same verb and resource, and of the same object
// where its name is in the path and the same in every run.
func (p *planner) meantBy(f *flow.Flow) *filter.Filter {
	t := &f.Target
	on := meant("ua", f.Client.UserAgent, "who", f.Client.Via, "verb", t.Verb, "res", withSub(t), "ns", p.namespace(t.Namespace))
	if t.Subresource == "" {
		on = withoutSub(on)
	}
	if t.Name != "" && p.named(object.RefOf(f.Effects[0].Commit)) {
		on = filter.And(on, "name", t.Name, false)
	}
	return on
}

// withoutSub means the requests of a filter that are for no subresource.
func withoutSub(on *filter.Filter) *filter.Filter {
	f, err := filter.Parse(on.String() + " !sub:*")
	if err != nil {
		return on
	}
	return f
}

func withSub(t *flow.Target) string {
	if t.Subresource != "" {
		return resourceOf(t) + "/" + t.Subresource
	}
	return resourceOf(t)
}

// group says who does what to which resource.
func (w *write) group() string {
	return w.Client.UserAgent + "\x00" + w.Target.Verb + "\x00" + withSub(&w.Target)
}

// about is the object that the write changed.
func (w *write) about() object.Ref { return object.RefOf(w.Effects[0].Commit) }

// tier is 0 for the first write of its sort, and 1 for those that come again.
func (w *write) tier() int {
	return min(w.time-1, 1)
}

// lost plans that the answer of each write is lost: first of those that a client cannot simply do again.
func (p *planner) lost() {
	for _, w := range p.writes() {
		tier := w.tier()
		if p.named(w.about()) {
			tier++ // what was done is found by its name
		}
		p.add(Lost, tier, w.group(), w.about(), func() Fault {
			r := rule.Rule{Action: rule.Lose, Before: "encode", After: w.nth - 1, Times: 1, Name: "explore-lost", On: w.on}
			return Fault{Kind: Lost, Client: w.Client.UserAgent, Rules: []string{r.String()},
				What: fmt.Sprintf("%s gets no answer to its %s%s, which is committed", w.Client.UserAgent, ordinal(w.time), w.of)}
		})
	}
}

// The next write of a client belongs to the same round of its work if it comes within ofOneRound, and perhaps if it comes
// within ofOneWork: a controller may wait in between for what it has deleted to be gone.
const (
	ofOneRound = time.Second
	ofOneWork  = time.Minute
)

// cut plans that a client ends after each write that it follows with another one, first of all after deletions.
func (p *planner) cut() {
	all := p.writes()
	for i, w := range all {
		after := followed(all, i)
		if after > ofOneWork {
			continue
		}
		tier := w.tier()
		if after > ofOneRound && w.Target.Verb != "delete" {
			tier++
		}
		p.add(Cut, tier, w.group(), w.about(), func() Fault {
			// Those that fail pass: it is the n-th that is committed.
			r := rule.Rule{
				Action: rule.Cut, Client: true, Before: "encode", After: w.nth - 1, Times: 1, Name: "explore-cut",
				On: committed(w.on),
			}
			agent, of := w.Client.UserAgent, ordinal(w.time)+w.of
			what := fmt.Sprintf("the connections of %s are cut right after its %s", agent, of)
			f := Fault{Kind: Cut, Client: agent, What: what}
			if p.o.Controller {
				r.Action, r.Client, r.Name = rule.Hold, false, Holding
				f.Kill = true
				f.What = fmt.Sprintf("%s is killed right after its %s, and starts again", agent, of)
			}
			f.Rules = []string{r.String()}
			return f
		})
	}
}

// committed means the requests of a filter that succeeded.
func committed(on *filter.Filter) *filter.Filter { return filter.And(on, "code", "2xx", false) }

// followed is the time from a write of a client to its next one; a long one if there is none.
func followed(all []write, i int) time.Duration {
	w := all[i]
	for _, next := range all[i+1:] {
		if next.Client.UserAgent == w.Client.UserAgent {
			return next.Start.Sub(w.Start.Add(w.Duration))
		}
	}
	return math.MaxInt64
}

// ordinal is "" for the first, and "second " and so on for others.
func ordinal(n int) string {
	switch n {
	case 1:
		return ""
	case 2:
		return "second "
	case 3:
		return "third "
	}
	return fmt.Sprintf("%dth ", n)
}
