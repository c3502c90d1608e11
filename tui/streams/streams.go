// Package streams has the watches: their clients, their lag, and how clients went on after a 410.
package streams

import (
	"fmt"
	"slices"
	"time"

	"kubarium/analysis/lag"
	"kubarium/analysis/listing"
	"kubarium/analysis/relist"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// Streams are the open watches and those that ended recently.
type Streams struct {
	log     *flow.Log
	now     func() time.Time
	feed    *feed.Feed
	time    *timeline.Timeline
	walks   *listing.Log   // lists, to see how a client went on
	All     []*flow.Watch  // by ID
	List    []*flow.Watch  // those that match the filter; if a client went on after a 410, only the newer one
	Hidden  int            // those of Kubarium's own that are not shown
	Relists relist.Relists // how clients went on after a 410
}

// New returns an empty list of streams.
func New(log *flow.Log, now func() time.Time, d *feed.Feed, t *timeline.Timeline, lists *listing.Log) *Streams {
	return &Streams{log: log, now: now, feed: d, time: t, walks: lists, Relists: relist.Relists{}}
}

// Fold reads the watches again.
func (w *Streams) Fold() {
	now := w.now()
	keep, forever := time.Duration(keepExpiredWatches), w.log.Stats().Limits.KeepEnded == flow.Forever
	if forever { // as in a recording
		keep = flow.Forever
	}
	w.All = slices.DeleteFunc(w.log.Watches(keep), func(x *flow.Watch) bool {
		s := x.State()
		return !forever && !s.Ended.IsZero() && now.Sub(s.Ended) > keepEndedWatches && !relist.Expired(s)
	})
	w.Hidden = 0
	w.Relists.Find(w.All, w.walks, w.time.Compacted)
	joined := w.Relists.Joined()
	w.List = slices.DeleteFunc(slices.Clone(w.All), func(x *flow.Watch) bool {
		if _, ok := joined[x]; ok {
			return true
		}
		v := w.feed.Verdict(asFlow(x))
		if v == feed.Hides {
			w.Hidden++
		}
		return v != feed.Shows
	})
}

// How long a watch stays on the screen after its end. One that ended with 410 stays longer, until its client has gone
// on.
const (
	keepEndedWatches   = 30 * time.Second
	keepExpiredWatches = 2 * time.Minute
)

// asFlow returns the flow that opened a watch, for filters.
func asFlow(x *flow.Watch) *flow.Flow {
	return &flow.Flow{
		Phase: flow.WatchOpened, Start: x.Opened, Client: x.Client, Method: "GET", Target: x.Target, Query: x.Query,
		Status: 200, Watch: x,
	}
}

// Open counts the watches that have not ended, regardless of the filter; Kubarium's own only if they are shown.
func (w *Streams) Open() int {
	n := 0
	for _, x := range w.All {
		if x.State().Ended.IsZero() && (w.feed.Own || !x.Client.Own()) {
			n++
		}
	}
	return n
}

// Lag describes the lag of a watch: the number of changes that it has not written yet, and the age of the oldest.
func (w *Streams) Lag(x *flow.Watch, s flow.WatchState) (term.Style, string) {
	if relist.Expired(s) {
		return term.Err, "✗ 410 Gone"
	}
	if !s.Ended.IsZero() {
		return term.Dim, "✗ " + s.Cause
	}
	n, oldest := w.Owed(x, s)
	if n == 0 {
		return term.Plain, "up to date"
	}
	return term.Warn, fmt.Sprintf("%s, %s", AtMost(x)+term.Count(n), term.Ago(w.now().Sub(oldest)))
}

// Owed counts the commits that a watch has not sent yet. It includes those that a selector would leave out, since the
// timeline has no labels.
func (w *Streams) Owed(x *flow.Watch, s flow.WatchState) (n int, oldest time.Time) {
	w.owing(x, s, func(c flow.Commit) bool {
		n++
		oldest = c.At
		return true
	})
	return n, oldest
}

// lagFrom is the age from which on a change that a watch has not sent counts as lag.
const lagFrom = 2 * time.Second

// Lagging counts the open watches that have not sent a change for a while.
func (w *Streams) Lagging() (n int) {
	before := w.now().Add(-lagFrom)
	for _, x := range w.All {
		s := x.State()
		if !s.Ended.IsZero() || !w.feed.Own && x.Client.Own() {
			continue
		}
		late := false
		w.owing(x, s, func(c flow.Commit) bool {
			late = c.At.Before(before)
			return !late
		})
		n += term.Pick(late, 1, 0)
	}
	return n
}

// Behind reports whether a watch has not sent some commit yet; it is cheaper than Owed.
func (w *Streams) Behind(x *flow.Watch, s flow.WatchState) bool {
	found := false
	w.owing(x, s, func(flow.Commit) bool {
		found = true
		return false
	})
	return found
}

// owing calls yield with the commits that a watch has not sent yet, newest first, until it returns false.
func (w *Streams) owing(x *flow.Watch, s flow.WatchState, yield func(flow.Commit) bool) {
	if w.time.Newest[lag.ScopeOf(x.Target).Resource] > lag.Reached(x, s) {
		lag.Owed(x, s, w.time.Commits, yield)
	}
}

// AtMost is the sign for a number that a selector may reduce.
func AtMost(x *flow.Watch) string {
	if lag.Selects(x) {
		return "≤"
	}
	return ""
}

// Began returns the revision after which a watch began: the one that it named, else the newest at that time; 0 if that
// is not known.
func (w *Streams) Began(x *flow.Watch) int64 {
	if x.Start > 0 {
		return x.Start
	}
	return w.time.HeadAt(x.Opened)
}

// First returns the revision after which the oldest open watch of the list began; if all have ended, the oldest of all.
func (w *Streams) First() int64 {
	open, ended := w.time.Head, w.time.Head
	for _, x := range w.List {
		if x.State().Ended.IsZero() {
			open = min(open, w.Began(x))
		} else if !relist.Expired(x.State()) {
			ended = min(ended, w.Began(x))
		}
	}
	return term.Pick(open < w.time.Head, open, ended)
}
