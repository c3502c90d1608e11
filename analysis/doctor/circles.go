package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	// reaction is how soon after a change a write must come to be taken for an answer to it.
	reaction = time.Second
	// longestCircle is how many writes a circle has at most.
	longestCircle = 4
	// returnedRounds is from how many rounds on a circle is one whose values come back: a few corrections may be how two
	// controllers settle.
	returnedRounds = 5
	// endlessRounds is the same if each round has new values, such as times or counters: progress in steps looks alike for
	// a while.
	endlessRounds = 20
	// comparedRounds is from when on the fields of the writes are compared.
	comparedRounds = 3
	// maxValues is how many values of an object are remembered, to see whether they come back.
	maxValues = 16
)

// circles finds writes that cause each other: a client answers a change that it watches with a write, which another
// client, or the client itself, answers in the same way, until the first object is written again.
//
// A write is taken for the answer to the newest change of what its client watches, if it came soon after it. A circle
// is there when going back from answer to answer one comes to the same client and the same object, each round changing
// the same fields. Whatever else changes in between breaks it, as does an object that is made or deleted: that is
// progress.
type circles struct {
	tally[round]
	watched ongoing[string, *ongoing[scope, int]] // by client, the watches that are open
	newest  ongoing[scope, *answer]
	values  ongoing[asking, *seenValues]
}

// A scope is what a watch is of: a resource, in all namespaces or in one.
type scope struct{ resource, namespace string }

// An answer is a write, and the one that caused it.
type answer struct {
	by     asking
	who    string
	seq    uint64
	at     time.Time
	change bool // whether it changed an object that was there and stayed
	cause  *answer
	rounds int
	fields string // that it changed; "" until they are compared
}

// seenValues are the values that an object was given in a circle.
type seenValues struct {
	all      set
	returned int
}

// round is what a finding says of a circle.
type round struct {
	rounds, returned int
	members          []string // clients and their objects
	fields           string
	took             time.Duration
}

func (c *circles) add(r *request) {
	if r.Target.Verb == "watch" {
		c.watches(r)
		return
	}
	if len(r.Effects) == 0 || r.lease() {
		return
	}
	for i := range r.Effects {
		e := &r.Effects[i]
		a := &answer{by: asking{r.client.key, object.RefOf(e.Commit)}, who: r.who(), seq: r.Seq, at: e.Commit.At}
		a.change = e.Before != nil && e.After != nil && len(r.Effects) == 1 && r.changes() && len(e.After) <= largestRead
		if a.change {
			c.follow(r, a, e)
		}
		c.newest.put(scope{a.by.ref.Resource, ""}, a)
		c.newest.put(scope{a.by.ref.Resource, a.by.ref.Namespace}, a)
	}
}

func (c *circles) watches(r *request) {
	s := scope{r.ref.Resource, r.ref.Namespace}
	of := follow(&c.watched, r.client.key)
	switch {
	case watched(r):
		of.put(s, (*of)[s]+1)
	case r.Phase == flow.WatchClosed && (*of)[s] > 1:
		(*of)[s]--
	case r.Phase == flow.WatchClosed:
		delete(*of, s)
	}
}

// follow looks for the cause of a write, and whether going back one comes to the same writer and object.
func (c *circles) follow(r *request, a *answer, e *flow.Effect) {
	for s := range *follow(&c.watched, r.client.key) {
		if n := c.newest[s]; n != nil && (a.cause == nil || n.seq > a.cause.seq) {
			a.cause = n
		}
	}
	if a.cause == nil || !a.cause.change || r.Start.Sub(a.cause.at) > reaction || r.Start.Before(a.cause.at) {
		a.cause = nil
		return
	}
	members := []*answer{a}
	for at, steps := a.cause, 1; at != nil && steps <= longestCircle; at, steps = at.cause, steps+1 {
		if at.by == a.by {
			c.closed(r, a, at, members, e)
			break
		}
		members = append(members, at)
	}
	a.trim()
}

// trim forgets causes that no circle reaches any more.
func (a *answer) trim() {
	for steps := 0; a != nil; a, steps = a.cause, steps+1 {
		if steps == longestCircle {
			a.cause = nil
		}
	}
}

// closed counts a round.
func (c *circles) closed(r *request, a, before *answer, members []*answer, e *flow.Effect) {
	a.rounds = before.rounds + 1
	if a.rounds < comparedRounds {
		return
	}
	_, after := changedLeaves(e)
	a.fields = strings.Join(slices.Sorted(maps.Keys(after)), ", ")
	if before.fields != "" && before.fields != a.fields {
		a.rounds = 0
		delete(c.values, a.by)
		return
	}
	if before.fields == "" {
		delete(c.values, a.by)
	}
	seen := follow(&c.values, a.by)
	value := object.Text(after)
	if seen.all[value] {
		seen.returned++
	}
	seen.all.add(maxValues, value)
	if !r.reported || !isFirst(a, members) || a.rounds < returnedRounds ||
		seen.returned < comparedRounds && a.rounds < endlessRounds {
		return
	}
	c.note(r, a, before, members, seen.returned)
}

// isFirst reports whether a write is of the member of its circle whose findings stand for the whole circle.
func isFirst(a *answer, members []*answer) bool {
	for _, m := range members {
		if nameOf(m.by.ref)+m.by.client < nameOf(a.by.ref)+a.by.client {
			return false
		}
	}
	return true
}

func (c *circles) note(r *request, a, before *answer, members []*answer, returned int) {
	var who []string
	for _, m := range members {
		if !slices.Contains(who, m.who) {
			who = append(who, m.who)
		}
	}
	slices.Sort(who)
	one := c.at(strings.Join(who, " and "), a.by.ref)
	one.record(r)
	if a.rounds >= one.own.rounds {
		one.own = round{rounds: a.rounds, returned: returned, fields: a.fields, took: r.end.Sub(before.at)}
		for _, m := range slices.Backward(members) {
			one.own.members = append(one.own.members, m.who+" writes "+nameOf(m.by.ref))
		}
	}
	one.count, one.requests = one.own.rounds, one.own.rounds*len(one.own.members)
	for _, m := range members[1:] {
		if len(one.records) < maxRecords {
			one.records = append(one.records, m.seq)
		}
	}
}

func (c *circles) report(*run) []Finding {
	return c.findings(func(one *instance[round]) (Severity, string) {
		o := one.own
		s := fmt.Sprintf("%d rounds of writes followed each other, each within %s of the change before it, "+
			"and nothing else that their clients watch changed in between: %s; in %s only %s changed",
			o.rounds, brief(reaction), strings.Join(o.members, ", then "), nameOf(one.ref), o.fields)
		if o.returned >= comparedRounds {
			s += fmt.Sprintf(", %s to a value that it had had before", times(o.returned))
		}
		return Warning, s + "."
	})
}

// forget drops what is going on.
func (c *circles) forget() {
	clear(c.newest)
	clear(c.watched)
	clear(c.values)
}
