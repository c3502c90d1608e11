// Package streams tells who watches what, how far behind each watch is, and how clients went on after a 410.
package streams

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/listing"
	"kubarium/analysis/relist"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// Streams are the watches: open ones and those that ended lately.
type Streams struct {
	log     *flow.Log
	now     func() time.Time
	feed    *feed.Feed
	time    *timeline.Timeline
	walks   *listing.Log   // what was listed, for how a client went on
	All     []*flow.Watch  // by ID
	List    []*flow.Watch  // those of them that the filter lets through; of a client that went on after a 410 the newer one
	Hidden  int            // those of them that are Kubarium's own and not shown
	Relists relist.Relists // how clients went on after a 410
}

// New makes an empty list of streams.
func New(log *flow.Log, now func() time.Time, d *feed.Feed, t *timeline.Timeline, lists *listing.Log) *Streams {
	return &Streams{log: log, now: now, feed: d, time: t, walks: lists, Relists: relist.Relists{}}
}

// Fold takes the list anew.
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

// How long a watch stays on the screen after its end. One that met a 410 stays until its client has gone on, if it does
// so in that time.
const (
	keepEndedWatches   = 30 * time.Second
	keepExpiredWatches = 2 * time.Minute
)

// asFlow is the flow that opened a watch, as far as a filter asks for it.
func asFlow(x *flow.Watch) *flow.Flow {
	return &flow.Flow{Phase: flow.WatchOpened, Start: x.Opened, Client: x.Client, Method: "GET", Target: x.Target, Query: x.Query, Status: 200, Watch: x}
}

// Open counts the watches that have not ended, whatever the filter says; Kubarium's own only where they are shown.
func (w *Streams) Open() int {
	n := 0
	for _, x := range w.All {
		if x.State().Ended.IsZero() && (w.feed.Own || !x.Client.Own()) {
			n++
		}
	}
	return n
}

// Lag says how far a watch is behind: in changes that concern it and are not yet written, and in the age of the oldest.
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

// Owed counts the commits that a watch is still to be sent. What a selector would leave out is counted as well, since
// the timeline knows no labels.
func (w *Streams) Owed(x *flow.Watch, s flow.WatchState) (n int, oldest time.Time) {
	w.owing(x, s, func(c flow.Commit) bool {
		n++
		oldest = c.At
		return true
	})
	return n, oldest
}

// Behind reports whether a watch is still to be sent anything; it is cheaper than to count that.
func (w *Streams) Behind(x *flow.Watch, s flow.WatchState) bool {
	found := false
	w.owing(x, s, func(flow.Commit) bool {
		found = true
		return false
	})
	return found
}

// owing calls yield with the commits that a watch is still to be sent, newest first, until it returns false.
func (w *Streams) owing(x *flow.Watch, s flow.WatchState, yield func(flow.Commit) bool) {
	reached, of := max(s.Position, s.Last, x.Start), ConcernOf(x)
	if reached == 0 || w.time.Newest[of.resource] <= reached {
		return
	}
	for _, c := range slices.Backward(w.time.Commits) {
		if c.Revision <= reached || of.Has(&c) && !yield(c) {
			return
		}
	}
}

// A concern is what a watch looks at, in the words of commits; "" stands for all namespaces, and for all names.
type concern struct{ resource, namespace, name string }

// ConcernOf is what a watch is told of.
func ConcernOf(x *flow.Watch) concern {
	t := x.Target
	if t.Group != "" {
		t.Resource += "." + t.Group
	}
	return concern{t.Resource, t.Namespace, t.Name}
}

// Has reports whether a commit is of an object that is looked at.
func (k *concern) Has(c *flow.Commit) bool {
	return c.Resource == k.resource && (k.namespace == "" || k.namespace == c.Namespace) && (k.name == "" || k.name == c.Name)
}

// AtMost is the sign for a number that a selector may make smaller.
func AtMost(x *flow.Watch) string {
	if strings.Contains(x.Query, "Selector=") {
		return "≤"
	}
	return ""
}

// Lowest is the oldest revision that a watch began at, or has reached.
func (w *Streams) Lowest() int64 {
	lowest := w.time.Head
	for _, x := range w.All {
		if x.Start > 0 {
			lowest = min(lowest, x.Start)
		}
		if st := x.State(); st.Position > 0 {
			lowest = min(lowest, st.Position)
		}
	}
	return lowest
}
