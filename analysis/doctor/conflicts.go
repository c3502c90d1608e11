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
	solved   int // attempts that were accepted in the end
	creates  int
}

// An attempt is a write that was refused, with what its client did at the object since.
type attempt struct {
	of       *instance[refusals]
	began    time.Time
	requests int
}

func (c *conflicts) add(r *request) {
	if r.Phase != flow.Whole || r.lease() {
		return
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
	if open != nil {
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
		c.open.put(at, &attempt{of: one, began: r.Start, requests: 1})
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
	open.of.own.solved++
	open.of.requests += open.requests
	open.of.waited += r.end.Sub(open.began)
	open.of.record(r)
	delete(c.open, at)
}

func (c *conflicts) report(*run) []Finding {
	waiting := map[subject]bool{}
	for _, a := range c.open {
		waiting[a.of.subject] = true
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
	if n := one.count - one.own.creates; n >= manyConflicts && n*conflictShare >= n+one.own.accepted {
		return Warning
	}
	return Note
}

func conflictText(one *instance[refusals], waits bool) string {
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
	if one.own.solved > 0 {
		s += fmt.Sprintf("; until one was accepted it took %s and %s in all",
			Plural(one.requests, "request"), brief(one.waited))
	}
	if waits {
		s += "; since the last one none was accepted"
	}
	return s + "."
}

// forget drops the attempts under way: how they ended may not be known.
func (c *conflicts) forget() { clear(c.open) }
