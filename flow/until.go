package flow

import (
	"math"
	"slices"
	"time"
)

// Until returns a separate Log with the state while a revision was the newest: the flows that had ended and changed
// nothing later, the commits up to it, and the watches that were open or had ended, with the frames written so far.
// before is when the next revision was committed, as exactly as is known; zero means that there is none. Flows that
// have aged out of the Log are not in it.
//
// The records are shared with the Log, except watches and flows with a watch, which are copies of their state then. The
// cost is about that of reading each flow and each watch once. Do not publish to the result.
func (l *Log) Until(revision int64, before time.Time) *Log {
	held, _ := l.after(0, 0)
	l.mu.Lock()
	limits, commits, compacted := l.limits, l.commitsUntil(revision), l.compacted
	watches := make([]*Watch, 0, len(l.watches))
	for _, w := range l.watches {
		watches = append(watches, w)
	}
	l.mu.Unlock()
	flows := merge(held)
	cut := &cut{revision: revision, before: nextCommit(flows, revision, before), watches: map[uint64]*Watch{}}
	at := cut.before
	limits.Now = func() time.Time { return at }
	if at.IsZero() {
		limits.Now = l.limits.Now
	}
	out := NewLog(limits)
	out.Committed(commits...)
	out.SetHead(revision, min(compacted, revision))
	for _, f := range flows {
		if cut.has(f) {
			out.append(cut.flow(f))
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

// nextCommit returns when the revision after this one was committed: not before the request that did it began. Times of
// commits are cut to milliseconds, so the time of the request may be better.
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

// A cut is the part of a run that Until takes.
type cut struct {
	revision int64
	before   time.Time         // zero for no end
	watches  map[uint64]*Watch // as they were; nil for one that was not open yet
}

// past reports whether a time is before the cut.
func (c *cut) past(at time.Time) bool { return c.before.IsZero() || at.Before(c.before) }

// has reports whether a flow is in the cut. One whose commits are is in it, even if its answer was still in progress.
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

// flow is a flow as it was then: its watch may have gone on since.
func (c *cut) flow(f *Flow) *Flow {
	if f.Watch == nil {
		return f
	}
	w := c.watch(f.Watch)
	if w == nil {
		w = f.Watch.until(c) // opened at the same instant as the cut
		c.watches[w.ID] = w
	}
	was := *f
	was.Watch = w
	return &was
}

// watch is a watch as it was then, nil if it was not open yet.
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

// append adds a flow under its own number.
func (l *Log) append(f *Flow) {
	l.skip(f.Seq - 1)
	l.sent.reach(f.Seq-1, f.Seq)
	l.gaps.none.reach(f.Seq-1, f.Seq)
	l.add(f)
}

// until is the record of a watch as it was then. Frames that are no longer kept make its counters upper bounds: see
// Short.
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

// without removes a frame that was written later. The watch had not reached that frame's revision.
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

// lastOf returns the revision of the last frame, and of the last that is not a bookmark.
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

// Short reports whether frames before the cut (Log.Until) are no longer kept, so that the counters in State are only
// upper bounds.
func (w *Watch) Short() bool { return w.short }

// slots copies the kept frames, oldest first.
func (f *frames) slots() []slot {
	out := make([]slot, len(f.ring))
	oldest := f.count - uint64(len(out))
	for i := range out {
		out[i] = f.ring[(oldest+uint64(i)-f.from)%keepFrames]
	}
	return out
}
