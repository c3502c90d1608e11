package doctor

import (
	"fmt"
	"slices"
	"time"

	"kubarium/analysis/conflict"
	"kubarium/flow"
)

const (
	// manyConflicts is from how many refusals of one client at one object on they are a warning: a few are how optimistic
	// locking works, and Kubernetes' own controllers meet half a dozen at a Deployment that is rolled out.
	manyConflicts = 10
	// conflictShare is the part of the writes that must be refused for that: one in so many.
	conflictShare = 4
	// manyCreates is from how many creates of an existing object on they are reported: finding out by one create whether
	// it exists is usual.
	manyCreates = 3
	// manyBlind is from how many writes on that cannot succeed, since their version has just been refused, they are a
	// warning.
	manyBlind = 3
)

// conflicts finds writes that were refused with 409, and what their repetition cost.
type conflicts struct {
	tally[refusals]
	open ongoing[asking, *attempt]
}

// refusals are the 409s of a client at an object.
type refusals struct {
	kinds    ongoing[string, int]
	accepted int // writes since the first of them
	solved   int // refusals that an accepted write followed
	creates  int
	blind    int // sent a version that had just been refused, without a read in between
}

// An attempt is a write that was refused, with what its client did at the object since.
type attempt struct {
	of       *instance[refusals]
	began    time.Time
	requests int
	refused  int       // how often
	version  int64     // that was refused as stale, if the client has read nothing since; else 0
	known    time.Time // when it was refused first: a write that was sent earlier did not know that
}

func (c *conflicts) add(r *request) {
	if r.Phase != flow.Whole || r.lease() {
		return
	}
	if r.Target.Verb == "get" || r.Target.Verb == "list" {
		c.reads(r)
	}
	clash, met := conflict.Clash{}, false
	if r.Status == 409 && (r.changes() || r.Target.Verb == "create") {
		clash, met = conflict.Judge(r.Flow, nil) // a 409 is judged by itself
	}
	at := asking{r.client.key, r.ref}
	if met && at.ref.Name == "" {
		at.ref.Name = clash.Met
	}
	if at.ref.Name == "" && len(r.Effects) == 1 { // a create
		at.ref.Name = r.Effects[0].Commit.Name
	}
	if at.ref.Name == "" {
		return
	}
	open := c.open[at]
	if open != nil && !r.repeats() {
		open.requests++
	}
	switch {
	case met && r.reported:
		c.refused(r, clash, at, open)
	case r.accepted() && r.writes():
		c.settled(r, at, open)
	}
}

// refused counts a 409.
func (c *conflicts) refused(r *request, clash conflict.Clash, at asking, open *attempt) {
	one := c.at(r.who(), at.ref)
	one.note(r)
	one.own.kinds.put(clash.Kind, one.own.kinds[clash.Kind]+1)
	if r.Target.Verb == "create" {
		one.own.creates++
	}
	if open == nil {
		open = &attempt{of: one, began: r.Start, requests: 1}
		c.open.put(at, open)
	}
	if open.of == one {
		open.refused++
	}
	version := int64(0)
	if r.Conflict != nil && r.Conflict.Kind == flow.StaleRevision {
		version = r.Conflict.Sent
	}
	if version == 0 || version != open.version {
		open.version, open.known = version, r.end
	} else if !r.Start.Before(open.known) {
		one.own.blind++
	}
}

// reads notes that a client reads an object, or all of a collection.
func (c *conflicts) reads(r *request) {
	for at, open := range c.open {
		if at.client == r.client.key && at.ref.Resource == r.ref.Resource &&
			(r.ref.Name == "" || r.ref.Name == at.ref.Name) && (r.ref.Namespace == "" || r.ref.Namespace == at.ref.Namespace) {
			open.version = 0
		}
	}
}

// settled ends an attempt by a write that was accepted.
func (c *conflicts) settled(r *request, at asking, open *attempt) {
	if one := c.has(r.who(), at.ref); one != nil {
		one.own.accepted++
	}
	if open == nil {
		return
	}
	open.of.own.solved += open.refused
	open.of.requests += open.requests
	open.of.waited += r.end.Sub(open.began)
	open.of.record(r)
	delete(c.open, at)
}

func (c *conflicts) report(*run) []Finding {
	waiting := map[subject]int{}
	for _, a := range c.open {
		waiting[a.of.subject] += a.refused
	}
	return c.findings(func(one *instance[refusals]) (Severity, string) {
		if one.own.creates == one.count && one.count < manyCreates {
			return "", ""
		}
		return conflictSeverity(one), conflictText(one, waiting[one.subject])
	})
}

// conflictSeverity ignores creates: a client that creates an existing object, and goes on, loses only that request.
func conflictSeverity(one *instance[refusals]) Severity {
	n := one.count - one.own.creates
	if n >= manyConflicts && n*conflictShare >= n+one.own.accepted || one.own.blind >= manyBlind {
		return Warning
	}
	return Note
}

// conflictText says what was refused and what followed; no write was accepted after the last so many refusals.
func conflictText(one *instance[refusals], open int) string {
	if one.own.creates == one.count {
		return fmt.Sprintf("%s of %s by %s %s refused with 409: it was there already.",
			Plural(one.count, "create"), nameOf(one.ref), one.who, was(one.count))
	}
	var kinds []string
	for kind, n := range one.own.kinds {
		if one.count == 1 {
			kinds = append(kinds, kind)
		} else {
			kinds = append(kinds, fmt.Sprintf("%s %d×", kind, n))
		}
	}
	slices.Sort(kinds)
	s := fmt.Sprintf("%s of %s to %s %s refused with 409 (%s)",
		Plural(one.count, "write"), one.who, nameOf(one.ref), was(one.count), few(kinds, 4))
	if one.own.blind > 0 {
		s += fmt.Sprintf("; %d of them sent the resourceVersion that had just been refused, without reading the object in between",
			one.own.blind)
	}
	cost := fmt.Sprintf("%s and %s in all", Plural(one.requests, "request"), brief(one.waited))
	switch {
	case one.own.solved == 0 && open > 0:
		s += "; no accepted write followed"
	case open == 1:
		s += fmt.Sprintf("; %d %s followed by an accepted write, after %s; the last one by none", one.own.solved, was(one.own.solved), cost)
	case open > 1:
		s += fmt.Sprintf("; %d %s followed by an accepted write, after %s; the last %d by none", one.own.solved, was(one.own.solved), cost, open)
	case one.own.solved > 0:
		s += "; until one was accepted it took " + cost
	}
	return s + "."
}

// forget drops the attempts under way: how they ended may not be known.
func (c *conflicts) forget() { clear(c.open) }
