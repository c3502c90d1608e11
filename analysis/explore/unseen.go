package explore

import (
	"fmt"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/rule"
)

// longestUnseen is how long a watch may be kept from sending: a test that waits for what the controller does about the
// first of two versions must not end before the second one comes.
const longestUnseen = 15 * time.Second

// oftenUnseen is a time within which versions are often seen as one, since a watch gets at once what a server that came back
// has.
const oftenUnseen = 2 * time.Second

// A follower is a watch of an object by a client.
type follower struct {
	client, resource string
	namespace, name  string
}

// A closeness is how near the versions of an object came that one watch sent.
type closeness struct {
	follower
	within  time.Duration // from the first of them to the last
	hidden  int           // how many the last one hides
	deleted bool          // whether a deletion is among them
}

// unseen plans that a watch sends only the last of versions that came close to each other.
func (p *planner) unseen() {
	for _, c := range p.close() {
		within := roundUp(c.within)
		of := describe(c.resource, c.namespace, namesOf(nil).of(c.name))
		tier := 1
		if c.deleted {
			tier = 0
		}
		if c.within > oftenUnseen {
			tier++
		}
		p.add(Unseen, tier, c.client+"\x00"+c.resource, object.Ref{Resource: c.resource, Namespace: c.namespace, Name: c.name}, func() Fault {
			on := meant("ua", c.client, "who", p.via(), "verb", "watch", "res", c.resource, "ns", p.namespace(c.namespace))
			if p.named(object.Ref{Resource: c.resource, Namespace: c.namespace, Name: c.name}) {
				on = meant("ua", c.client, "who", p.via(), "verb", "watch", "res", c.resource, "ns", p.namespace(c.namespace), "name", c.name)
			}
			r := rule.Rule{Action: rule.Coalesce, Before: rule.Frame, Most: within, Name: "explore-unseen", On: on}
			what := fmt.Sprintf("the watch of %s sends of %s only the last of the versions within %s", c.client, of, within)
			if c.deleted {
				what += ", so that it may not see that it was deleted"
			}
			return Fault{Kind: Unseen, Client: c.client, Rules: []string{r.String()}, What: what}
		})
	}
}

// close finds for each watched object the most that a short time hides.
func (p *planner) close() (out []closeness) {
	events := map[follower][]flow.Frame{}
	var order []follower
	for _, w := range p.server.Watches {
		if !p.triedClient(w.Client) {
			continue
		}
		for _, e := range w.Events {
			if e.Committed.IsZero() {
				continue // what there was when it began
			}
			k := follower{w.Client.UserAgent, resourceOf(&w.Target), e.Namespace, e.Name}
			if events[k] == nil {
				order = append(order, k)
			}
			events[k] = append(events[k], e)
		}
	}
	for _, k := range order {
		soon := closest(k, events[k], oftenUnseen)
		for _, c := range closest(k, events[k], longestUnseen) {
			if !slices.ContainsFunc(soon, func(s closeness) bool { return s.hidden == c.hidden }) {
				soon = append(soon, c)
			}
		}
		out = append(out, soon...)
	}
	return out
}

// closest are the runs of versions of an object that a time hides: the longest one, and the longest one with a deletion in
// it.
func closest(k follower, events []flow.Frame, within time.Duration) (out []closeness) {
	slices.SortStableFunc(events, func(a, b flow.Frame) int { return int(a.Revision - b.Revision) })
	events = slices.CompactFunc(events, func(a, b flow.Frame) bool { return a.Revision == b.Revision })
	var plain, deleted closeness
	for first := range events {
		for last := first + 1; last < len(events); last++ {
			c := closeness{follower: k, within: events[last].Committed.Sub(events[first].Committed), hidden: last - first,
				deleted: slices.ContainsFunc(events[first:last], func(e flow.Frame) bool { return e.Type == "DELETED" })}
			if c.within > within {
				break
			}
			if c.deleted && c.hidden > deleted.hidden {
				deleted = c
			}
			if c.hidden > plain.hidden {
				plain = c
			}
		}
	}
	if deleted.hidden > 0 {
		out = append(out, deleted)
	}
	if plain.hidden > 0 && (deleted.hidden == 0 || roundUp(plain.within) != roundUp(deleted.within)) {
		out = append(out, plain)
	}
	return out
}

// roundUp is a time that surely covers another one, in a few steps: on a busy machine all takes longer.
func roundUp(d time.Duration) time.Duration {
	for step := 250 * time.Millisecond; step < longestUnseen; step *= 2 {
		if 2*d <= step {
			return step
		}
	}
	return longestUnseen
}
