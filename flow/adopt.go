package flow

import "strings"

// A Log is filled by this process's own requests, or it adopts the run of another: that of a server that is watched from outside, or
// of a recording. What is adopted keeps its numbers.

// gaps are the numbers of adopted flows that no flow of this Log has.
type gaps struct {
	before  uint64 // all up to this one: the Log begins behind it
	skipped uint64 // those after it
	none    marks  // which these are, as far back as marks go

	owed Missed // flows that are said to be missing and were not counted yet
	upto uint64 // the last of them at most
}

// Adopt appends a flow of another run under its own number, which is higher than those of all before; it reports false, and leaves
// the Log as it is, where that number has come already. The caller must not change f afterwards. Numbers between two adopted flows are
// of no flow that anybody misses, but for those that AdoptMissed told of.
//
// The record of a watch that f has becomes that of the Log: of each watch there is one, whichever flow tells of it.
func (l *Log) Adopt(f *Flow) bool {
	own := isOwn(f.Client.UserAgent)
	f.held, f.own = f.size(), own
	l.mu.Lock()
	defer l.poke()
	defer l.mu.Unlock()
	if f.Seq < l.next || f.Seq > mostFlows {
		return false
	}
	if f.Watch != nil {
		f.Watch = l.adoptWatch(f.Watch)
	}
	l.append(f, own)
	if f.Seq > l.gaps.upto {
		l.gaps.owed = Missed{}
	}
	return true
}

// mostFlows is the highest number that a flow may have, so that sums of two do not overflow.
const mostFlows = 1 << 62

// AdoptMissed says that so many flows of another run are gone that have numbers above those of all before, and up to upto. Flows that come
// then may stand between them: those that are missing are counted where there is room for them. Readers are told of them as of flows
// that have aged out.
func (l *Log) AdoptMissed(m Missed, upto uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if upto < l.next || upto > mostFlows || m.Own > mostFlows || m.Others > mostFlows {
		return
	}
	l.beginGaps()
	g := l.gaps
	g.owed = Missed{Own: min(g.owed.Own+m.Own, mostFlows), Others: min(g.owed.Others+m.Others, mostFlows)}
	g.upto = max(g.upto, upto)
}

func (l *Log) beginGaps() {
	if l.gaps == nil {
		l.gaps = &gaps{}
		l.gaps.none.reach(0, l.next-1)
		l.sent.reach(l.next-1, l.next-1)
	}
}

// skip goes on behind a number: the flows up to it that did not come are missed, as far as some are said to be, and of the other numbers
// there is no flow.
func (l *Log) skip(upto uint64) {
	l.beginGaps()
	g, last := l.gaps, l.next-1
	l.sent.reach(last, upto)
	g.none.reach(last, upto)
	gone := g.take(upto - last)
	none := upto - gone.All()
	if last == 0 {
		g.before = none
	} else {
		g.none.setAll(last, none)
		g.skipped += none - last
	}
	l.sent.setAll(none, none+gone.Own)
	l.evictedOwn += gone.Own
	l.next = upto + 1
}

// take takes from what is said to be missing as much as there are numbers for.
func (g *gaps) take(numbers uint64) (m Missed) {
	m.Own = min(g.owed.Own, numbers)
	m.Others = min(g.owed.Others, numbers-m.Own)
	g.owed.Own -= m.Own
	g.owed.Others -= m.Others
	return m
}

// AdoptWatch returns the Log's record of a watch of another run, which keeps its ID. The first time it is w; later it is the record from
// then, brought up to w where that tells of more.
func (l *Log) AdoptWatch(w *Watch) *Watch {
	l.mu.Lock()
	defer l.poke()
	defer l.mu.Unlock()
	return l.adoptWatch(w)
}

func (l *Log) adoptWatch(w *Watch) *Watch {
	known := l.watches[w.ID]
	if known == nil {
		if len(l.watches) >= l.sweepAt {
			l.forgetEnded()
		}
		l.watches[w.ID] = w
		l.watchID = max(l.watchID, w.ID)
		return w
	}
	if known != w {
		known.advance(w)
	}
	return known
}

// AdoptMoment gives a moment of another run its name: before is the newest flow before it. It reports whether there is room for the name.
func (l *Log) AdoptMoment(name string, before uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.setMoment(strings.ToLower(name), before)
}

// AdoptCommits appends commits of another run, in the order of their revisions, but for those that are on the timeline already.
func (l *Log) AdoptCommits(cs ...Commit) {
	newest := l.newestCommit()
	for len(cs) > 0 && cs[0].Revision <= newest {
		cs = cs[1:]
	}
	l.Committed(cs...)
}

// newestCommit is the revision of the newest commit on the timeline, 0 for none.
func (l *Log) newestCommit() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.commitCount == 0 {
		return 0
	}
	return l.commits[(l.commitCount-1)%uint64(len(l.commits))].Revision
}
