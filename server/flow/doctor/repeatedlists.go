package doctor

import (
	"fmt"
	"time"

	"kubarium/server/flow"
)

const (
	// manyLists is from how many whole lists beside a watch on they are told: one or two may be a second cache that starts.
	manyLists = 3
	// watchFollows is how long after a list its watch may open: then the list was the beginning of that watch.
	watchFollows = 5 * time.Second
)

// repeatedLists finds whole lists of what the client watches at that time.
type repeatedLists struct {
	tally   tally[beside]
	streams map[collection]*stream
}

// beside is what is told of a case.
type beside struct {
	items int
	bytes int64
}

// A stream is what a client has of a collection.
type stream struct {
	open    int // watches
	listed  bool
	pending []pendingList // of which it is not known whether a watch follows
}

// A pendingList is a list beside a watch.
type pendingList struct {
	request *request
	who     string
}

func (*repeatedLists) about() Rule {
	return Rule{
		Name: "repeated-lists", Severity: Warning, Title: "Whole lists of what is watched already",
		Why: "A client that has listed a collection and watches it knows every change. Each further list makes the server read, encode and send all objects " +
			"again; with many objects this is the dearest request there is.",
		Passage: "Efficient detection of changes", URL: conceptsURL + "#efficient-detection-of-changes",
		Advice: "Read from the informer's cache (a lister, or the manager's client in controller-runtime) in place of the API; list anew only after 410 Gone.",
	}
}

func (l *repeatedLists) add(r *request) {
	if r.Target.Verb != "list" && r.Target.Verb != "watch" || r.lease() {
		return
	}
	if l.streams == nil {
		l.streams = map[collection]*stream{}
	}
	k := collectionOf(r)
	s := l.streams[k]
	if s == nil {
		bounded(l.streams)
		s = &stream{}
		l.streams[k] = s
	}
	l.judge(r, s)
}

func (l *repeatedLists) judge(r *request, s *stream) {
	s.settle(l, r.Start)
	switch {
	case watched(r):
		s.open++
		if n := len(s.pending); n > 0 { // that list was its beginning
			s.pending = s.pending[:n-1]
		}
		s.listed = s.listed || streaming(r)
	case r.Phase == flow.WatchClosed:
		s.open = max(0, s.open-1)
		s.pending = nil // a list near the end of a watch may be because of it
	case !listed(r) || r.Page.Next != "": // nothing whole
	case s.open > 0 && s.listed:
		if r.reported && len(s.pending) < maxRecords {
			s.pending = append(s.pending, pendingList{light(r), r.who()})
		}
	default:
		s.listed = true
	}
}

// settle counts the lists that no watch has followed for a while.
func (s *stream) settle(l *repeatedLists, now time.Time) {
	for len(s.pending) > 0 && now.Sub(s.pending[0].request.end) > watchFollows {
		p := s.pending[0]
		s.pending = s.pending[1:]
		one := l.tally.at(p.who, listRef(p.request))
		one.note(p.request)
		one.requests++
		one.own.items += p.request.Page.Items
		one.own.bytes += p.request.ResponseBody.Total
	}
}

func (l *repeatedLists) report(of *run) (out []Finding) {
	for _, s := range l.streams {
		s.settle(l, of.now)
	}
	for _, one := range l.tally.all() {
		if one.count < manyLists {
			continue
		}
		out = append(out, one.finding(Warning, fmt.Sprintf("%s listed all of %s %s while it was watching them: %s and %s that its watch had told already.",
			one.who, nameOf(one.ref), times(one.count), plural(one.own.items, "object"), size(one.own.bytes))))
	}
	return out
}

// forget drops what is watched: an end or a 410 may be missing.
func (l *repeatedLists) forget() { clear(l.streams) }
