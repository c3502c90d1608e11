package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/listing"
	"kubarium/server/flow/relist"
)

// streams are the watches: open ones and those that ended lately.
type streams struct {
	log     *flow.Log
	now     func() time.Time
	feed    *feed
	time    *timeline
	walks   *listing.Log   // what was listed, for how a client went on
	all     []*flow.Watch  // by ID
	list    []*flow.Watch  // those of them that the filter lets through; of a client that went on after a 410 the newer one
	hidden  int            // those of them that are Kubarium's own and not shown
	relists relist.Relists // how clients went on after a 410
}

func newStreams(log *flow.Log, now func() time.Time, d *feed, t *timeline, lists *listing.Log) *streams {
	return &streams{log: log, now: now, feed: d, time: t, walks: lists, relists: relist.Relists{}}
}

// fold takes the list anew.
func (w *streams) fold() {
	now := w.now()
	w.all = slices.DeleteFunc(w.log.Watches(keepExpiredWatches), func(x *flow.Watch) bool {
		s := x.State()
		return !s.Ended.IsZero() && now.Sub(s.Ended) > keepEndedWatches && !relist.Expired(s)
	})
	w.hidden = 0
	w.relists.Find(w.all, w.walks, w.time.compacted)
	joined := w.relists.Joined()
	w.list = slices.DeleteFunc(slices.Clone(w.all), func(x *flow.Watch) bool {
		if _, ok := joined[x]; ok {
			return true
		}
		v := w.feed.verdict(asFlow(x))
		if v == hides {
			w.hidden++
		}
		return v != shows
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

// open counts the watches that have not ended, whatever the filter says; Kubarium's own only where they are shown.
func (w *streams) open() int {
	n := 0
	for _, x := range w.all {
		if x.State().Ended.IsZero() && (w.feed.own || !x.Client.Own()) {
			n++
		}
	}
	return n
}

// lag says how far a watch is behind: in changes that concern it and are not yet written, and in the age of the oldest.
func (w *streams) lag(x *flow.Watch, s flow.WatchState) (style, string) {
	if relist.Expired(s) {
		return sErr, "✗ 410 Gone"
	}
	if !s.Ended.IsZero() {
		return sDim, "✗ " + s.Cause
	}
	n, oldest := w.owed(x, s)
	if n == 0 {
		return sPlain, "up to date"
	}
	return sWarn, fmt.Sprintf("%s, %s", atMost(x)+count(n), ago(w.now().Sub(oldest)))
}

// owed counts the commits that a watch is still to be sent. What a selector would leave out is counted as well, since
// the timeline knows no labels.
func (w *streams) owed(x *flow.Watch, s flow.WatchState) (n int, oldest time.Time) {
	w.owing(x, s, func(c flow.Commit) bool {
		n++
		oldest = c.At
		return true
	})
	return n, oldest
}

// behind reports whether a watch is still to be sent anything; it is cheaper than to count that.
func (w *streams) behind(x *flow.Watch, s flow.WatchState) bool {
	found := false
	w.owing(x, s, func(flow.Commit) bool {
		found = true
		return false
	})
	return found
}

// owing calls yield with the commits that a watch is still to be sent, newest first, until it returns false.
func (w *streams) owing(x *flow.Watch, s flow.WatchState, yield func(flow.Commit) bool) {
	reached, of := max(s.Position, s.Last, x.Start), concernOf(x)
	if reached == 0 || w.time.newest[of.resource] <= reached {
		return
	}
	for _, c := range slices.Backward(w.time.commits) {
		if c.Revision <= reached || of.has(&c) && !yield(c) {
			return
		}
	}
}

// A concern is what a watch looks at, in the words of commits; "" stands for all namespaces, and for all names.
type concern struct{ resource, namespace, name string }

func concernOf(x *flow.Watch) concern {
	t := x.Target
	if t.Group != "" {
		t.Resource += "." + t.Group
	}
	return concern{t.Resource, t.Namespace, t.Name}
}

// has reports whether a commit is of an object that is looked at.
func (k *concern) has(c *flow.Commit) bool {
	return c.Resource == k.resource && (k.namespace == "" || k.namespace == c.Namespace) && (k.name == "" || k.name == c.Name)
}

// atMost is the sign for a number that a selector may make smaller.
func atMost(x *flow.Watch) string {
	if strings.Contains(x.Query, "Selector=") {
		return "≤"
	}
	return ""
}

// lowest is the oldest revision that a watch began at, or has reached.
func (w *streams) lowest() int64 {
	lowest := w.time.head
	for _, x := range w.all {
		if x.Start > 0 {
			lowest = min(lowest, x.Start)
		}
		if st := x.State(); st.Position > 0 {
			lowest = min(lowest, st.Position)
		}
	}
	return lowest
}
