package clients

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"kubarium/analysis/lag"
	"kubarium/flow"
)

// A program is what is kept of the clients that share their watches.
type program struct {
	ended recent[stream, *flow.Watch] // the last watch of each that ended, if no other took its place
}

// A stream is what a watch is of.
type stream struct {
	lag.Scope
	labels, fields string
}

func streamOf(t flow.Target, query string) stream {
	s := stream{Scope: lag.ScopeOf(t)}
	if query != "" {
		q, _ := url.ParseQuery(query) // what cannot be read selects nothing
		s.labels, s.fields = q.Get("labelSelector"), q.Get("fieldSelector")
	}
	return s
}

// covers reports whether a watch of the stream is sent everything that one of another is.
func (s *stream) covers(o *stream) bool {
	return s.Covers(o.Scope) && (s.labels == "" || s.labels == o.labels) && (s.fields == "" || s.fields == o.fields)
}

// follow notes that a watch was opened or has ended.
func (r *Reader) follow(f *flow.Flow) {
	if f.Watch == nil || f.Phase == flow.Whole {
		return
	}
	c := *r.clients.has(f.Client.Tag)
	at := r.programs.use(c.program)
	if *at == nil {
		*at = &program{recent[stream, *flow.Watch]{most: maxEnded}}
	}
	p, of := *at, streamOf(f.Watch.Target, f.Watch.Query)
	if f.Phase == flow.WatchClosed {
		*p.ended.use(of) = last(f)
		return
	}
	c.watched++
	for k := range p.ended.all() {
		if of.covers(&k) {
			p.ended.drop(k)
		}
	}
}

// last is the record of an ended watch without its frames except the last few: a log forgets ended watches soon.
func last(f *flow.Flow) *flow.Watch {
	s := f.Watch.State()
	if s.Ended.IsZero() { // as in a recording that has the record as it was when the watch was opened
		s.Ended, s.Cause = f.Start.Add(f.Duration), f.Message
	}
	w, err := flow.NewWatch(f.Watch.WatchInfo, s, lastFrames(f.Watch, s))
	if err != nil {
		return f.Watch
	}
	return w
}

// fewFrames is how many of its last frames are looked at for the last event of a watch: bookmarks may follow it.
const fewFrames = 8

func lastFrames(w *flow.Watch, s flow.WatchState) []flow.Frame {
	n := s.Sent + s.Bookmarks
	return w.FramesSince(n - min(n, fewFrames))
}

// watchesOf are the watches of a client and of its program: its own first, then in the order in which they were opened.
func (r *Reader) watchesOf(c *client, now time.Time) (out []Watch) {
	seen := map[uint64]bool{}
	add := func(w *flow.Watch) {
		if seen[w.ID] || w.Client.Tag != c.Tag && (w.Client.Program() != c.program || c.program == "") {
			return
		}
		seen[w.ID] = true
		out = append(out, Watch{Watch: w, Other: w.Client.Tag != c.Tag, Lag: r.lag(w, now)})
	}
	for _, w := range r.watches() {
		add(w)
	}
	if p := r.programs.has(c.program); p != nil {
		for _, w := range (*p).ended.all() {
			add(*w)
		}
	}
	slices.SortStableFunc(out, func(a, b Watch) int {
		if a.Other != b.Other {
			if a.Other {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return out
}

// lag is how long the oldest change that an open watch has not been sent has waited.
func (r *Reader) lag(w *flow.Watch, now time.Time) time.Duration {
	_, oldest := r.owed(w)
	if oldest.IsZero() || !w.State().Ended.IsZero() {
		return 0
	}
	return max(0, now.Sub(oldest))
}

// owed counts the known changes that a watch has not been sent.
func (r *Reader) owed(w *flow.Watch) (n int, oldest time.Time) {
	s := w.State()
	if r.commits.newest[lag.ScopeOf(w.Target).Resource] <= lag.Reached(w, s) {
		return 0, oldest // the usual case
	}
	lag.Owed(w, s, r.commits.all, func(c flow.Commit) bool {
		n, oldest = n+1, c.At
		return true
	})
	return n, oldest
}
