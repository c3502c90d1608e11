package doctor

import (
	"fmt"
	"slices"
	"time"
)

const (
	// manyPolls is from how many even reads on they are polling: fewer may be a person who looks again.
	manyPolls = 10
	// longPolling is how long they must go on in all to be a warning: a short wait for something is a note.
	longPolling = 5 * time.Second
)

// polling finds the same read again and again at an interval. Reads that look like the waiting of a test are a note: a
// suite may send them under the name of the controller that it tests.
type polling struct {
	tally[polls]
	waits tally[polls]
}

// polls is what a finding says of a case.
type polls struct {
	interval time.Duration // the mean of the longest sequence
	longest  int           // how many reads it had
	took     time.Duration // all sequences
	same     int           // answers that were as the one before
	steady   int           // sequences that did not end with another answer
	what     string        // "get", "get of status"
}

func (p *polling) add(r *request) {
	if h := r.rhythm; h != nil && !h.noticed {
		h.noticed = true
		h.then = append(h.then, func() { h.takeInto(&p.tally, &p.waits) })
	}
}

// takeInto counts a rhythm as polling or as waiting.
func (h *rhythm) takeInto(polled, waited *tally[polls]) {
	if h.void || h.first == nil || len(h.seqs) < manyPolls {
		return
	}
	ref := h.first.ref
	if h.first.Target.Verb == "list" {
		ref = listRef(h.first)
	}
	t := polled
	if h.waits() {
		t = waited
	}
	one := t.at(h.first.who(), ref)
	one.series(h.count, h.began, h.last, h.seqs)
	one.own.took += h.last.Sub(h.began)
	one.own.same += h.same
	if one.own.what = h.first.Target.Verb; h.first.Target.Subresource != "" {
		one.own.what += " of " + h.first.Target.Subresource
	}
	if !h.changed {
		one.own.steady++
	}
	if h.count > one.own.longest {
		one.own.longest, one.own.interval = h.count, h.mean
	}
}

func (p *polling) report(of *run) []Finding {
	polled, waited := p.copy(), p.waits.copy() // what is over, and what goes on
	for _, h := range of.rhythms.of {
		h.takeInto(&polled, &waited)
	}
	out := polled.findings(func(one *instance[polls]) (Severity, string) {
		slices.Sort(one.records)
		s := fmt.Sprintf("%s; %d of the answers %s as the one before.", pollText(one), one.own.same, was(one.own.same))
		if w := waited.has(one.who, one.ref); w != nil {
			s += fmt.Sprintf(" %d more looked like the waiting of a test, as Eventually of a test does.", w.count)
			delete(waited.of, w.subject)
		}
		return warningFrom(longPolling, one.own.took), s
	})
	waits := waited.findings(func(one *instance[polls]) (Severity, string) {
		slices.Sort(one.records)
		one.requests = 0
		s := pollText(one)
		if one.own.steady == 0 {
			s += ", until the answer changed"
		}
		return Note, s + ". This looks like the waiting of a test, as Eventually of a test does; a controller should watch instead."
	})
	for i := range waits {
		waits[i].apart = ", waited for"
	}
	return append(out, waits...)
}

func pollText(one *instance[polls]) string {
	return fmt.Sprintf("%s sent the same %s of %s %s, about every %s",
		one.who, one.own.what, nameOf(one.ref), times(one.count), brief(one.own.interval))
}
