// Package quiet finds the moment when a server rests: no client has asked for a while, no request is under way, and each
// watch has been sent what there is for it.
//
// It is a heuristic. A controller that waits for a timer of its own, or computes for longer than the stated time without
// a request, rests as far as its server can see.
package quiet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/lag"
	"kubarium/flow"
	"kubarium/flow/object"
)

// Options say what rest is.
type Options struct {
	For    time.Duration // how long nothing may happen
	Writes bool          // only changes count, and events that were not sent
}

// A Busy is a client that keeps a server busy.
type Busy struct {
	Who   string `json:"who"`   // a client's tag
	What  string `json:"what"`  // "update configmaps shop/web", "watch pods"
	Count int    `json:"count"` // requests, or events that the watch has not been sent
}

// String is "k1: update configmaps shop/web, 12 times".
func (b Busy) String() string {
	if b.Count < 2 {
		return b.Who + ": " + b.What
	}
	return fmt.Sprintf("%s: %s, %d times", b.Who, b.What, b.Count)
}

// every is the time between two looks.
const every = 20 * time.Millisecond

// Wait waits until the server of a log has rested for as long as the Options say. When ctx ends before, it returns who kept
// it busy in the last such time, the busiest first; nil means that it did rest.
//
// Reads of Kubarium's own do not count, nor do Events, Leases and requests for no resource; what its controllers and nodes
// write does, since others wait for that.
func Wait(ctx context.Context, l *flow.Log, o Options) []Busy {
	w := watcher{log: l, o: o, last: time.Now(), seen: l.Stats().Newest, newest: map[string]int64{}}
	for {
		w.look(time.Now())
		if time.Since(w.last) >= o.For {
			return nil
		}
		select {
		case <-time.After(min(every, o.For)):
		case <-ctx.Done():
			return w.busiest()
		}
	}
}

// A watcher looks at a server again and again.
type watcher struct {
	log  *flow.Log
	o    Options
	seen uint64    // Seq of the last flow that was looked at
	read uint64    // number of the last commit that was looked at
	last time.Time // when it was busy last
	busy []at
	// newest is the revision of the last commit of each resource: a watch learns of others with bookmarks alone.
	newest map[string]int64
}

// An at is a client that was busy at a time.
type at struct {
	time time.Time
	Busy
}

// look notes what keeps the server busy.
func (w *watcher) look(now time.Time) {
	flows, _ := w.log.Since(w.seen, 0)
	for _, f := range flows {
		w.seen = max(w.seen, f.Seq)
		if counts(&f.Target) && f.Phase != flow.WatchClosed && !leads(f) && (len(f.Effects) > 0 || !f.Client.Own() && !w.o.Writes) {
			w.note(now, f.Client.Tag, what(&f.Target), 1)
		}
	}
	for _, u := range w.log.Underway() {
		if counts(&u.Target) && !w.o.Writes && u.Target.Verb != "watch" && !u.Client.Own() {
			w.note(now, w.log.Tag(u.Client), what(&u.Target), 1)
		}
	}
	commits, read := w.log.Commits(w.read)
	for i := range commits {
		w.newest[commits[i].Resource] = commits[i].Revision
	}
	w.read = read
	for _, one := range w.log.Watches(0) {
		s := one.State()
		if !counts(&one.Target) || one.Client.Own() || !s.Ended.IsZero() ||
			s.Pending == 0 && w.newest[lag.ScopeOf(one.Target).Resource] <= lag.Reached(one, s) {
			continue
		}
		w.note(now, one.Client.Tag, what(&one.Target), int(max(1, s.Pending)))
	}
}

func (w *watcher) note(now time.Time, who, what string, n int) {
	w.last = now
	w.busy = append(slices.DeleteFunc(w.busy, func(b at) bool { return now.Sub(b.time) > 4*w.o.For+time.Second }), at{now, Busy{who, what, n}})
}

// counts reports whether a request may say that a client works.
func counts(t *flow.Target) bool {
	return t.Resource != "" && !object.ByClock(object.RefOfTarget(*t).Resource)
}

// leads reports whether a request says who leads.
func leads(f *flow.Flow) bool {
	return slices.ContainsFunc(f.Effects, func(e flow.Effect) bool { return object.Elects(e.After) })
}

// what is a request in a few words.
func what(t *flow.Target) string {
	name := strings.Trim(t.Namespace+"/"+t.Name, "/")
	resource := t.Resource
	if t.Subresource != "" {
		resource += "/" + t.Subresource
	}
	return strings.TrimSpace(t.Verb + " " + resource + " " + name)
}

// busiest are those who were busy of late.
func (w *watcher) busiest() (out []Busy) {
	for _, b := range w.busy {
		i := slices.IndexFunc(out, func(o Busy) bool { return o.Who == b.Who && o.What == b.What })
		if i < 0 {
			out = append(out, b.Busy)
			continue
		}
		out[i].Count += b.Count
	}
	slices.SortStableFunc(out, func(a, b Busy) int { return cmp.Compare(b.Count, a.Count) })
	return out
}
