package doctor

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	// foughtTurns is from how many turns on a field is fought over: A, B, A, B, each setting what it had set before. A
	// single change and its undoing may be meant.
	foughtTurns = 4
	// maxContested is how many fields of one object are followed.
	maxContested = 64
)

// foughtFields finds fields that two managers set to different values in turn.
type foughtFields struct {
	tally[fought]
	objects ongoing[object.Ref, *contest]
}

// fought is what a finding says of a case.
type fought struct {
	turns  ongoing[string, int]    // by field, the most in a row
	values ongoing[string, string] // by field, both values
}

// A contest is an object that more than one manager writes.
type contest struct {
	last   writer // of the object
	fields ongoing[string, []turn]
}

// A writer is a client with its field manager.
type writer struct{ client, manager, name string }

// A turn is one setting of a field.
type turn struct {
	by    writer
	value any
}

func (x *foughtFields) add(r *request) {
	for i := range r.Effects {
		if e := &r.Effects[i]; e.Before == nil || e.After == nil {
			delete(x.objects, object.RefOf(e.Commit)) // another object of that name begins, or none
		}
	}
	if len(r.Effects) != 1 || r.Effects[0].After == nil || r.lease() || object.IsEvent(r.ref.Resource) {
		return // an Event has one writer, and goes without a request
	}
	e := &r.Effects[0]
	ref, by := object.RefOf(e.Commit), writer{r.client.key, r.manager(), r.who()}
	o := x.objects[ref]
	switch {
	case o == nil:
		x.objects.put(ref, &contest{last: by})
		return
	case o.last == by && len(o.fields) == 0, len(e.After) > largestRead:
	default:
		x.compare(r, o, ref, by, e)
	}
	o.last = by
}

// compare follows the fields that a write changed.
func (x *foughtFields) compare(r *request, o *contest, ref object.Ref, by writer, e *flow.Effect) {
	before, after := changedLeaves(e)
	for path, value := range after {
		was := before[path]
		turns := o.fields[path]
		switch n := len(turns); {
		case n == 0 && o.last != by:
			turns = []turn{{o.last, was}, {by, value}} // who wrote the object last is who set it, if they set it so again
		case n == 0:
			continue
		case turns[n-1].by == by:
			turns = []turn{{by, value}} // its own progress
		case n > 1 && turns[n-2].by == by && object.Same(turns[n-2].value, value):
			turns = append(turns, turn{by, value})
		default:
			turns = []turn{turns[n-1], {by, value}}
		}
		if _, known := o.fields[path]; known || len(o.fields) < maxContested {
			o.fields.put(path, turns)
		}
		if len(turns) >= foughtTurns && r.reported {
			x.note(r, ref, path, turns)
		}
	}
}

func (x *foughtFields) note(r *request, ref object.Ref, path string, turns []turn) {
	n := len(turns)
	names := []string{turns[n-2].by.name, turns[n-1].by.name}
	slices.Sort(names)
	one := x.at(strings.Join(names, " and "), ref)
	if len(one.records) == 0 || one.records[len(one.records)-1] != r.Seq {
		one.record(r)
	}
	one.own.turns.put(path, max(one.own.turns[path], n))
	a, b := turns[n-2], turns[n-1]
	if a.by.name > b.by.name {
		a, b = b, a
	}
	one.own.values.put(path, fmt.Sprintf("%s sets %s, %s sets %s", a.by.name, short(a.value), b.by.name, short(b.value)))
}

func (x *foughtFields) report(*run) []Finding {
	return x.findings(func(one *instance[fought]) (Severity, string) {
		path := ""
		for p, n := range one.own.turns {
			if n > one.count || n == one.count && p < path {
				path, one.count = p, n
			}
		}
		s := fmt.Sprintf("%s of %s was set %s in turn: %s", path, nameOf(one.ref), times(one.count), one.own.values[path])
		if more := len(one.own.turns) - 1; more > 0 {
			s += fmt.Sprintf("; so %s %s", was(more), Plural(more, "more field"))
		}
		return Warning, s + "."
	})
}

// forget drops the turns: others may be missing between them.
func (x *foughtFields) forget() { clear(x.objects) }
