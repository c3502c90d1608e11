package doctor

import (
	"fmt"
	"time"

	"kubarium/flow"
)

const (
	// manyLists is from how many whole lists during a watch on they are reported: one or two may be a second cache that
	// starts.
	manyLists = 3
	// watchFollows is how long after a list its watch may open: then the list was the beginning of that watch.
	watchFollows = 5 * time.Second
	// soonFollows is the same where many such lists came already: a run may end before watchFollows.
	soonFollows = 100 * time.Millisecond
)

// repeatedLists finds whole lists of what the client watches at that time.
type repeatedLists struct {
	listTally
	streams ongoing[collection, *stream]
}

// A stream is what a client has of a collection.
type stream struct {
	open    int // watches
	listed  bool
	pending []*request // lists of which it is not known whether a watch follows
}

func (l *repeatedLists) add(r *request) {
	if r.Target.Verb != "list" && r.Target.Verb != "watch" || r.lease() {
		return
	}
	s := follow(&l.streams, collectionOf(r))
	l.inVain(s.settled(r.Start))
	switch {
	case watched(r):
		s.open++
		if n := len(s.pending); n > 0 { // that list was its beginning
			s.pending = s.pending[:n-1]
		}
		s.listed = s.listed || streaming(r)
	case r.Phase == flow.WatchClosed:
		s.open = max(0, s.open-1)
		l.inVain(s.unfollowed(r.end))
		s.pending = nil // a list near the end of a watch may be because of it
	case !listed(r) || r.Page.Next != "": // nothing whole
	case s.open > 0 && s.listed:
		if r.reported && len(s.pending) < maxRecords {
			s.pending = append(s.pending, light(r))
		}
	default:
		s.listed = true
	}
}

// settled takes the lists that no watch has followed for a while.
func (s *stream) settled(now time.Time) []*request {
	n := 0
	for n < len(s.pending) && now.Sub(s.pending[n].end) > watchFollows {
		n++
	}
	out := s.pending[:n]
	s.pending = s.pending[n:]
	return out
}

// inVain counts lists that no watch follows.
func (l *repeatedLists) inVain(all []*request) {
	for _, r := range all {
		countList(l.in(r.rhythm), r)
	}
}

// unfollowed are the pending lists that no watch will follow, as far as can be said before watchFollows: a client
// begins at most so many watches of one collection at once, and each soon after its list.
func (s *stream) unfollowed(now time.Time) []*request {
	n := max(0, len(s.pending)-manyLists)
	for n > 0 && now.Sub(s.pending[n-1].end) < soonFollows {
		n--
	}
	return s.pending[:n]
}

func (l *repeatedLists) report(of *run) []Finding {
	for _, s := range l.streams {
		l.inVain(s.settled(of.now))
	}
	sum := l.sum() // a pending list may turn out otherwise
	for _, s := range l.streams {
		for _, r := range s.unfollowed(of.now) {
			if r.rhythm == nil || !r.rhythm.waits() {
				countList(&sum, r)
			}
		}
	}
	return sum.findings(func(one *instance[lists]) (Severity, string) {
		if one.count < manyLists {
			return "", ""
		}
		return Warning, fmt.Sprintf(
			"%s listed all of %s %s while it was watching them: %s and %s that its watch had sent already.",
			one.who, nameOf(one.ref), times(one.count), Plural(one.own.items, "object"), Size(one.own.bytes))
	})
}

// forget drops what is watched: an end or a 410 may be missing.
func (l *repeatedLists) forget() { clear(l.streams) }
