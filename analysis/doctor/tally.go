package doctor

import (
	"maps"
	"slices"
	"strings"
	"time"

	"kubarium/flow/object"
)

// A tally counts the cases of a rule: one for each client and object, with what else the rule remembers of it.
type tally[T any] struct {
	of map[subject]*instance[T]
}

// A subject is whom and what a finding is about.
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

// maxSubjects is how many cases a rule keeps for objects one by one; later ones are of the resource as a whole.
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

// note counts a request.
func (c *instance[T]) note(r *request) {
	c.count++
	c.record(r)
}

// record names a request without counting it.
func (c *instance[T]) record(r *request) {
	if c.first.IsZero() || r.Start.Before(c.first) {
		c.first = r.Start
	}
	if r.end.After(c.last) {
		c.last = r.end
	}
	if len(c.records) < maxRecords {
		c.records = append(c.records, r.Seq)
	}
}

// finding is what is told of the case.
func (c *instance[T]) finding(s Severity, what string) Finding {
	return Finding{Severity: s, Client: c.who, Object: nameOf(c.ref), What: what, Count: c.count, Records: slices.Clone(c.records), First: c.first, Last: c.last,
		resource: c.ref.Resource, requests: c.requests, waited: c.waited}
}

// all are the cases in the order of their names.
func (t *tally[T]) all() []*instance[T] {
	return slices.SortedFunc(maps.Values(t.of), func(a, b *instance[T]) int {
		return strings.Compare(a.who+"\x00"+nameOf(a.ref), b.who+"\x00"+nameOf(b.ref))
	})
}

// bounded makes room in a map that remembers what is going on: one that is full begins anew, as clients may name anything.
func bounded[K comparable, V any](m map[K]V) {
	if len(m) >= maxOngoing {
		clear(m)
	}
}

// maxOngoing is how many things a rule follows at once.
const maxOngoing = 8192
