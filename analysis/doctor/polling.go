package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
)

const (
	// manyPolls is from how many even reads on they are polling: fewer may be a person who looks again.
	manyPolls = 10
	// longPolling is how long they must go on to be a warning: a short wait for something is a note.
	longPolling = 5 * time.Second
	// shortestPoll is the shortest interval that is taken for one: what comes faster is a loop without a pause, or many at
	// once.
	shortestPoll = 5 * time.Millisecond
	// longestPoll is the longest: a look every few minutes costs nothing, and informers' resyncs and relists are as rare.
	longestPoll = 2 * time.Minute
	// even is by which part of their mean the gaps between reads may differ.
	even = 0.4
)

// polling finds the same read again and again at an interval.
type polling struct {
	tally[polls]
	reads ongoing[collection, *rhythm] // by the collection or the object; versions and limits may differ
}

// polls is what a finding says of a case.
type polls struct {
	interval time.Duration // the mean of the longest sequence
	longest  int           // how many reads it had
	same     int           // answers that were as the one before
	verb     string
}

// A rhythm is how a read came back.
type rhythm struct {
	count    int
	last     time.Time
	mean     time.Duration // of the gaps
	began    time.Time
	revision int64 // of the last answer
	status   int
	same     int
	seqs     []uint64
	first    *request
}

func (p *polling) add(r *request) {
	switch {
	case r.ref.Resource == "" || r.lease() || strings.HasSuffix(r.Target.Group, "metrics.k8s.io"):
		return // metrics cannot be watched
	case r.accepted() && r.writes() && r.ref.Name != "":
		p.wrote(r)
		return
	case watched(r): // a list that a watch follows is how a watch begins
		delete(p.reads, collectionOf(r))
		return
	case r.Page != nil && r.Page.Token != "": // a chunk of a list
		return
	case r.Phase != flow.Whole || r.Target.Verb != "get" && r.Target.Verb != "list",
		connects[r.Target.Subresource] || !answered(r):
		return
	}
	p.note(r)
}

// answered reports whether a read has an answer that a client waits for: an object, a list, or that there is none yet.
func answered(r *request) bool {
	return r.Status/100 == 2 || r.Status == 404 && r.Target.Verb == "get"
}

// wrote ends the rhythm of an object that the client writes itself: reading before a write is no polling.
func (p *polling) wrote(r *request) {
	path := r.Path
	if r.Target.Subresource != "" {
		path = strings.TrimSuffix(path, "/"+r.Target.Subresource)
	}
	delete(p.reads, collection{r.client.key, path, ""})
}

func (p *polling) note(r *request) {
	k := collectionOf(r)
	h := p.reads[k]
	if h == nil {
		p.reads.put(k, newRhythm(r))
		return
	}
	gap := r.Start.Sub(h.last)
	if !h.goesOn(gap) {
		h.end(&p.tally)
		*h = *newRhythm(r)
		return
	}
	h.mean += (gap - h.mean) / time.Duration(h.count)
	h.count++
	h.last = r.Start
	if r.Revision == h.revision && r.Status == h.status {
		h.same++
	}
	h.revision, h.status = r.Revision, r.Status
	if r.reported && len(h.seqs) < maxRecords {
		if len(h.seqs) == 0 {
			h.first = light(r)
		}
		h.seqs = append(h.seqs, r.Seq)
	}
}

func newRhythm(r *request) *rhythm {
	h := &rhythm{count: 1, last: r.Start, began: r.Start, revision: r.Revision, status: r.Status}
	if r.reported {
		h.first, h.seqs = light(r), []uint64{r.Seq}
	}
	return h
}

// goesOn reports whether a gap is about as long as those before.
func (h *rhythm) goesOn(gap time.Duration) bool {
	if gap < shortestPoll || gap > longestPoll {
		return false
	}
	if h.count == 1 {
		h.mean = gap
		return true
	}
	off := gap - h.mean
	return off.Abs() <= time.Duration(even*float64(h.mean))
}

// end counts a rhythm that is over.
func (h *rhythm) end(t *tally[polls]) {
	if h.count < manyPolls || h.first == nil || len(h.seqs) < manyPolls {
		return
	}
	ref := h.first.ref
	if h.first.Target.Verb == "list" {
		ref = listRef(h.first)
	}
	one := t.at(h.first.who(), ref)
	one.series(h.count, h.began, h.last, h.seqs)
	one.own.same += h.same
	one.own.verb = h.first.Target.Verb
	if h.count > one.own.longest {
		one.own.longest, one.own.interval = h.count, h.mean
	}
}

func (p *polling) report(*run) []Finding {
	sum := p.copy() // what is over, and what goes on
	for _, h := range p.reads {
		h.end(&sum)
	}
	return sum.findings(func(one *instance[polls]) (Severity, string) {
		slices.Sort(one.records)
		return warningFrom(longPolling, one.last.Sub(one.first)), fmt.Sprintf(
			"%s sent the same %s of %s %s, about every %s; %d of the answers %s as the one before.",
			one.who, one.own.verb, nameOf(one.ref), times(one.count), brief(one.own.interval), one.own.same, was(one.own.same))
	})
}

// forget drops the rhythms: the gap would seem longer than it was.
func (p *polling) forget() {
	for _, h := range p.reads {
		h.end(&p.tally)
	}
	clear(p.reads)
}
