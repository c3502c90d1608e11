package doctor

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"kubarium/flow/object"
)

// A tally counts the cases of a rule: one for each client and object, with what else the rule remembers of it. A rule
// embeds one, and adds what it follows at the moment.
type tally[T any] struct {
	of map[subject]*instance[T]
}

// A subject is the client and the object of a finding.
type subject struct {
	who string
	ref object.Ref
}

// An instance is one subject's case.
type instance[T any] struct {
	subject
	count       int
	records     []uint64
	first, last time.Time
	requests    int
	waited      time.Duration
	own         T
}

// maxSubjects is how many cases a rule keeps for single objects; later ones are of the resource as a whole.
const maxSubjects = 4096

// at is the case of a client and an object.
func (t *tally[T]) at(who string, ref object.Ref) *instance[T] {
	s := subject{who, ref}
	if c := t.of[s]; c != nil {
		return c
	}
	if t.of == nil {
		t.of = map[subject]*instance[T]{}
	}
	if len(t.of) >= maxSubjects {
		if s.ref = (object.Ref{Resource: ref.Resource}); len(t.of) >= 2*maxSubjects {
			s = subject{"further clients", object.Ref{Resource: "further resources"}}
		}
		if c := t.of[s]; c != nil {
			return c
		}
	}
	c := &instance[T]{subject: s}
	t.of[s] = c
	return c
}

// has is the case of a client and an object if there is one, else nil.
func (t *tally[T]) has(who string, ref object.Ref) *instance[T] { return t.of[subject{who, ref}] }

// forget leaves the cases: what was found stays.
func (*tally[T]) forget() {}

// copy is a tally to which a report adds what is not over yet, and which may be counted again.
func (t *tally[T]) copy() tally[T] {
	out := tally[T]{of: map[subject]*instance[T]{}}
	for s, one := range t.of {
		kept := *one
		kept.records = slices.Clone(one.records)
		out.of[s] = &kept
	}
	return out
}

// findings are what say makes of the cases, in the order of their names; a case of which it says "" is left out. say
// may change the instance, which is a copy.
func (t *tally[T]) findings(say func(*instance[T]) (Severity, string)) (out []Finding) {
	all := t.copy()
	for _, c := range slices.SortedFunc(maps.Values(all.of), func(a, b *instance[T]) int {
		return strings.Compare(a.who+"\x00"+nameOf(a.ref), b.who+"\x00"+nameOf(b.ref))
	}) {
		if severity, what := say(c); what != "" {
			out = append(out, Finding{
				Severity: severity, Client: c.who, Object: nameOf(c.ref), What: what,
				Count: c.count, Records: c.records, First: c.first, Last: c.last,
				resource: c.ref.Resource, requests: c.requests, waited: c.waited,
			})
		}
	}
	return out
}

// note counts a request.
func (c *instance[T]) note(r *request) {
	c.count++
	c.record(r)
}

// cost counts a request that was in vain.
func (c *instance[T]) cost(r *request) {
	c.requests++
	c.note(r)
}

// record names a request without counting it.
func (c *instance[T]) record(r *request) {
	c.span(r.Start, r.end)
	if len(c.records) < maxRecords {
		c.records = append(c.records, r.Seq)
	}
}

// series counts requests that were in vain, of which some are named.
func (c *instance[T]) series(count int, first, last time.Time, seqs []uint64) {
	c.count += count
	c.requests += count
	c.records = append(c.records, seqs...)
	c.span(first, last)
}

// span widens the time of the case.
func (c *instance[T]) span(first, last time.Time) {
	if c.first.IsZero() || first.Before(c.first) {
		c.first = first
	}
	if last.After(c.last) {
		c.last = last
	}
}

// warningFrom is the severity of a case that is a warning from a bound on, and a note below it.
func warningFrom[N cmp.Ordered](bound, n N) Severity {
	if n >= bound {
		return Warning
	}
	return Note
}
