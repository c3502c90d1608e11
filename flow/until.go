package flow

import (
	"math"
	"slices"
	"time"
)

// Until returns a Log of its own with what had happened while a revision was the newest: the flows that had ended and changed nothing
// later, the commits up to it, and the watches that were open, or had ended, with the frames that had been written. before is when the
// next revision was committed, as exactly as is known; zero says that there is none. What the Log has let go of is not in it.
//
// The records are those of the Log itself, but for watches and the flows that hold one: these are as they were. It costs about as much
// as a look at each flow and each watch. Nobody may publish to it.
func (l *Log) Until(revision int64, before time.Time) *Log {
	own, others, _ := l.behind(0, 0)
	l.mu.Lock()
	limits, commits, compacted := l.limits, l.commitsUntil(revision), l.compacted
	watches := make([]*Watch, 0, len(l.watches))
	for _, w := range l.watches {
		watches = append(watches, w)
	}
	l.mu.Unlock()
	cut := &cut{revision: revision, before: nextCommit(merge(own, others), revision, before), watches: map[uint64]*Watch{}}
	at := cut.before
	limits.Now = func() time.Time { return at }
	if at.IsZero() {
		limits.Now = l.limits.Now
	}
	out := NewLog(limits)
	out.Committed(commits...)
	out.SetHead(revision, min(compacted, revision))
	for _, f := range merge(own, others) {
		if cut.has(f) {
			out.append(cut.flow(f), f.own)
		}
	}
	for _, w := range watches {
		cut.watch(w)
	}
	for id, w := range cut.watches {
		if w != nil {
			out.watches[id] = w
			out.watchID = max(out.watchID, id)
		}
	}
	return out
}

// commitsUntil copies the commits of the timeline up to a revision; l.mu is held.
func (l *Log) commitsUntil(revision int64) []Commit {
	size := uint64(len(l.commits))
	var out []Commit
	for i := l.commitCount - size; i < l.commitCount; i++ {
		if c := l.commits[i%size]; c.Revision <= revision {
			out = append(out, c)
		}
	}
	return out
}

// nextCommit is when the revision behind another one was committed: not before the request that did it began. The times of commits are
// cut to milliseconds, so that of the request may be the better one.
func nextCommit(flows []*Flow, revision int64, before time.Time) time.Time {
	if before.IsZero() {
		return before
	}
	next, began := int64(math.MaxInt64), before
	for _, f := range flows {
		for i := range f.Effects {
			if r := f.Effects[i].Commit.Revision; r > revision && r < next {
				next, began = r, f.Start
			}
		}
	}
	if began.After(before) {
		return began
	}
	return before
}

// A cut is what Until takes of a run.
type cut struct {
	revision int64
	before   time.Time         // zero for no end
	watches  map[uint64]*Watch // as they were; nil for one that was not open yet
}

// past reports whether a time is before the cut.
func (c *cut) past(at time.Time) bool { return c.before.IsZero() || at.Before(c.before) }

// has reports whether a flow was there: one whose commits were is, even if its answer was still under way.
func (c *cut) has(f *Flow) bool {
	if f.Revision > c.revision || f.Conflict != nil && f.Conflict.Stored > c.revision {
		return false
	}
	for i := range f.Effects {
		if f.Effects[i].Commit.Revision > c.revision {
			return false
		}
	}
	return len(f.Effects) > 0 || c.past(f.Start.Add(f.Duration))
}

// flow is a flow as it was: its watch may have gone on since.
func (c *cut) flow(f *Flow) *Flow {
	if f.Watch == nil {
		return f
	}
	w := c.watch(f.Watch)
	if w == nil {
		w = f.Watch.until(c) // opened in the very instant of the cut
		c.watches[w.ID] = w
	}
	was := *f
	was.Watch = w
	return &was
}

// watch is a watch as it was, nil if it was not open yet.
func (c *cut) watch(w *Watch) *Watch {
	was, known := c.watches[w.ID]
	if !known {
		if c.past(w.Opened) && w.Start <= c.revision {
			was = w.until(c)
		}
		c.watches[w.ID] = was
	}
	return was
}

// append adds a flow that has its number already, and is not changed.
func (l *Log) append(f *Flow, own bool) {
	l.skip(f.Seq - 1)
	l.sent.reach(f.Seq-1, f.Seq)
	l.gaps.none.reach(f.Seq-1, f.Seq)
	l.add(f, own)
}

// until is the record of a watch as it was. What is no longer remembered of its frames makes its counters upper bounds: see Short.
func (w *Watch) until(c *cut) *Watch {
	w.mu.Lock()
	fs, end, cause := w.frames, w.end, w.cause
	kept := fs.slots()
	w.mu.Unlock()
	n := len(kept)
	for n > 0 && !(c.past(fs.first.Add(kept[n-1].written)) && kept[n-1].head.revision <= c.revision) {
		n--
	}
	was := &Watch{WatchInfo: w.WatchInfo, heads: &heads{}}
	s := w.State()
	s.Position, s.Pending = min(s.Position, c.revision), 0
	for _, late := range kept[n:] {
		s.without(late)
	}
	s.Last, s.LastEvent = lastOf(kept[:n])
	from := fs.count - uint64(len(kept))
	if n == 0 && from > 0 && len(kept) > 0 {
		was.short = true
		s.Last = min(c.revision, kept[0].head.revision-1)
		s.LastEvent = s.Last
	}
	s.Ended, s.Cause = time.Time{}, ""
	if !end.IsZero() && c.past(end) {
		s.Ended, s.Cause = end, cause
	}
	was.frames = frames{ring: kept[:n:n], count: from + uint64(n), from: from, first: fs.first}
	was.restate(s)
	return was
}

// without takes a frame off that was written later. The watch had not come further than to what it was to send then.
func (s *WatchState) without(late slot) {
	s.Bytes -= min(s.Bytes, uint64(late.size))
	if late.head.typ == "BOOKMARK" {
		s.Bookmarks--
		return
	}
	s.Sent--
	if late.head.revision > 0 {
		s.Position = min(s.Position, late.head.revision-1)
	}
}

// lastOf is the revision of the last frame, and of the last that is no bookmark.
func lastOf(frames []slot) (last, event int64) {
	for _, f := range slices.Backward(frames) {
		if last == 0 {
			last = f.head.revision
		}
		if f.head.typ != "BOOKMARK" {
			return last, f.head.revision
		}
	}
	return last, event
}

// Short reports whether frames of the time that a Log was cut at (Log.Until) are no longer remembered, so that what the watch had sent
// and reached is known only as a bound: not more than its State says.
func (w *Watch) Short() bool { return w.short }

// slots copies what is remembered, oldest first.
func (f *frames) slots() []slot {
	out := make([]slot, len(f.ring))
	oldest := f.count - uint64(len(out))
	for i := range out {
		out[i] = f.ring[(oldest+uint64(i)-f.from)%keepFrames]
	}
	return out
}
