package doctor

import (
	"fmt"
	"slices"
	"time"

	"kubarium/flow"
)

const (
	// manyLists is from how many whole lists beside a watch on they are told: one or two may be a second cache that starts.
	manyLists = 3
	// watchFollows is how long after a list its watch may open: then the list was the beginning of that watch.
	watchFollows = 5 * time.Second
	// soonFollows is the same where many such lists came already: a run may end before watchFollows.
	soonFollows = 100 * time.Millisecond
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
		for _, p := range s.unfollowed(r.end) {
			p.count(&l.tally)
		}
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
		s.pending[0].count(&l.tally)
		s.pending = s.pending[1:]
	}
}

// count counts a list that no watch follows.
func (p pendingList) count(t *tally[beside]) {
	one := t.at(p.who, listRef(p.request))
	one.note(p.request)
	one.requests++
	one.own.items += p.request.Page.Items
	one.own.bytes += p.request.ResponseBody.Total
}

// unfollowed are the pending lists that no watch will follow, as far as can be said before watchFollows: a client begins at most so many
// watches of one collection at once, and each soon after its list.
func (s *stream) unfollowed(now time.Time) []pendingList {
	n := max(0, len(s.pending)-manyLists)
	for n > 0 && now.Sub(s.pending[n-1].request.end) < soonFollows {
		n--
	}
	return s.pending[:n]
}

func (l *repeatedLists) report(of *run) (out []Finding) {
	for _, s := range l.streams {
		s.settle(l, of.now)
	}
	sum := tally[beside]{of: map[subject]*instance[beside]{}}
	for s, one := range l.tally.of { // what is said of pending lists now may turn out otherwise
		kept := *one
		kept.records = slices.Clone(one.records)
		sum.of[s] = &kept
	}
	for _, s := range l.streams {
		for _, p := range s.unfollowed(of.now) {
			p.count(&sum)
		}
	}
	for _, one := range sum.all() {
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
