package flow

import "strings"

// A Log is filled by the requests of this process, or it adopts the flows of another run: of a server that is watched
// from outside, or of a recording. Adopted flows keep their numbers.

// gaps are the numbers, among those of adopted flows, that no flow of this Log has.
type gaps struct {
	before  uint64 // the Log begins after this number
	skipped uint64 // how many numbers after before have no flow
	none    marks  // which numbers those are, as far back as marks go

	owed Missed // flows reported missing that are not counted yet
	upto uint64 // their numbers are at most this
}

// Adopt appends a flow of another run under its own number, which must be higher than all before; otherwise it returns
// false and leaves the Log as it is. The caller must not change f afterwards. A gap between the numbers of two adopted
// flows counts as missed only as far as AdoptMissed has reported flows missing.
//
// f.Watch is replaced by the Log's record of that watch: a Log has one record of each watch.
func (l *Log) Adopt(f *Flow) bool {
	f.held = f.size()
	l.mu.Lock()
	defer l.poke()
	defer l.mu.Unlock()
	if f.Seq < l.next || f.Seq > mostFlows {
		return false
	}
	f.class = l.class(f)
	if f.Watch != nil {
		f.Watch = l.adoptWatch(f.Watch)
	}
	l.append(f)
	if f.Seq > l.gaps.upto {
		l.gaps.owed = Missed{}
	}
	return true
}

// mostFlows is the highest number that a flow may have, so that sums of two do not overflow.
const mostFlows = 1 << 62

// AdoptMissed reports that flows of another run are gone. Their numbers are above all before, and at most upto. Flows
// adopted later may have numbers between them: the missing ones are counted in the gaps that remain. Readers see them
// as flows that have aged out.
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
		l.gaps = &gaps{none: newMarks(l.limits.most())}
		l.gaps.none.reach(0, l.next-1)
		l.sent.reach(l.next-1, l.next-1)
	}
}

// skip moves on to the number after upto. Flows up to it that did not come count as missed, as far as gaps.owed
// reports so many; the other numbers have no flow.
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
	l.evicted[ofKubarium] += gone.Own
	l.next = upto + 1
}

// take takes from owed as many flows as there are numbers for.
func (g *gaps) take(numbers uint64) (m Missed) {
	m.Own = min(g.owed.Own, numbers)
	m.Others = min(g.owed.Others, numbers-m.Own)
	g.owed.Own -= m.Own
	g.owed.Others -= m.Others
	return m
}

// AdoptWatch returns the Log's record of a watch of another run, which keeps its ID. The first time this is w; later it
// is that first record, advanced to w if w has more.
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

// AdoptMoment names a moment of another run; before is the newest flow before it. It returns false if there is no room
// for the name.
func (l *Log) AdoptMoment(name string, before uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.setMoment(strings.ToLower(name), before)
}

// AdoptCommits appends commits of another run in the order of their revisions, except those already on the timeline.
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
