package clients

import (
	"fmt"
	"strings"
	"time"

	"kubarium/analysis/lag"
	"kubarium/analysis/relist"
	"kubarium/flow"
)

const (
	// reopening is for how long after the end of a watch the client is given to open another: client-go waits up to 2 s
	// before it does so the first time.
	reopening = 4 * time.Second
	// lagFrom is the age from which on a change that a watch has not been sent counts.
	lagFrom = 2 * time.Second
)

// Causes of a watch's end, as flow.WatchState has them.
const (
	clientLeft = "client went away"
	timedOut   = "timeout"
	stopping   = "server is stopping"
	tooSlow    = "too slow"
	connection = "connection was cut"
)

// endedWatches are the watches that ended while no other took their place, the newest first.
func (r *Reader) endedWatches(c *client, out *Client, now time.Time) (all []found) {
	newest := map[stream]*flow.Watch{}
	var order []stream
	for i := range out.Watches {
		w := out.Watches[i].Watch
		of := streamOf(w.Target, w.Query)
		if newest[of] == nil {
			order = append(order, of)
		}
		if was := newest[of]; was == nil || open(was) == open(w) && w.ID > was.ID || !open(was) && open(w) {
			newest[of] = w
		}
	}
	for i := range order {
		w := newest[order[i]]
		s := w.State()
		if s.Ended.IsZero() || now.Sub(s.Ended) < reopening || s.Cause == stopping || coveredBy(&order[i],
			newest, w) {
			continue
		}
		if n, _ := r.owed(w); s.Cause == clientLeft && (n == 0 || order[i].fields != "" || leftTogether(w, out, c)) {
			continue // it may well be meant
		}
		all = append(all, found{r.endedWatch(c, w, s, now), grave(EndedWatch)})
	}
	return all
}

func open(w *flow.Watch) bool { return w.State().Ended.IsZero() }

// coveredBy reports whether another watch, which is open or ended later, is sent what this one was.
func coveredBy(of *stream, all map[stream]*flow.Watch, w *flow.Watch) bool {
	for k, o := range all {
		if o != w && k.covers(of) && (open(o) || o.State().Ended.After(w.State().Ended)) {
			return true
		}
	}
	return false
}

// leftTogether reports whether the client closed all its watches, and sent nothing since: its process has ended.
func leftTogether(w *flow.Watch, out *Client, c *client) bool {
	end := w.State().Ended
	if c.Last.After(end) {
		return false
	}
	for i := range out.Watches {
		if s := out.Watches[i].State(); s.Ended.IsZero() || s.Cause != clientLeft {
			return false
		}
	}
	return true
}

// endedWatch says which watch ended, and what its client has not seen since.
func (r *Reader) endedWatch(c *client, w *flow.Watch, s flow.WatchState, now time.Time) Wait {
	whose := "its watch"
	if w.Client.Tag != c.Tag {
		whose = "the watch of its program (" + w.Client.Tag + ")"
	}
	return Wait{
		Kind: EndedWatch, Since: s.Ended, Watch: w.ID,
		What: fmt.Sprintf("%s of %s ended %s ago, and no other took its place", whose, nameOfWatch(w),
			span(now.Sub(s.Ended))),
		Why: joined(endOf(s), r.unseen(c, w, s)),
	}
}

// endOf says why a watch ended.
func endOf(s flow.WatchState) string {
	switch {
	case relist.Expired(s):
		return "it ended with 410 Gone: what it was to be sent next is compacted, so its client has to list again"
	case s.Cause == timedOut:
		return "it ended with a timeout, as each watch does after some minutes or the time that its client asked for"
	case s.Cause == tooSlow:
		return "the server ended it because the client did not read fast enough"
	case s.Cause == clientLeft:
		return "the client closed it"
	case strings.Contains(s.Cause, connection):
		for i := len(s.Faults) - 1; i >= 0; i-- {
			if m := s.Faults[i]; m.Action == "cut" {
				return "the connection was cut by " + ruleName(m)
			}
		}
		return "the connection was cut at the gate"
	}
	return "the server ended it: " + short(s.Cause)
}

// unseen says which changes an ended watch was not sent.
func (r *Reader) unseen(c *client, w *flow.Watch, s flow.WatchState) string {
	n, _ := r.owed(w)
	reached := lag.Reached(w, s)
	switch {
	case reached == 0:
		return ""
	case n == 0:
		return fmt.Sprintf("nothing of it has changed since rv %d", reached)
	}
	most := ""
	switch {
	case lag.Selects(w):
		most = "at most "
	case !r.commits.knows(reached) || r.missed > 0:
		most = "at least "
	}
	say := fmt.Sprintf("it has not been sent %s%s after rv %d", most, plural(n, "change"), reached)
	var newest flow.Commit
	lag.Owed(w, s, r.commits.all, func(c flow.Commit) bool {
		newest = c
		return false
	})
	return fmt.Sprintf("%s, the last one of %s: rv %d %s", say,
		nameOfObject(newest.Resource, newest.Namespace, newest.Name), newest.Revision, r.writer(newest.Revision, c.Tag))
}

// slowWatches are the open watches that have not been sent a change for a while.
func (r *Reader) slowWatches(out *Client, now time.Time) (all []found) {
	for i := range out.Watches {
		w := &out.Watches[i]
		if w.Lag < lagFrom || !open(w.Watch) {
			continue
		}
		s := w.State()
		n, oldest := r.owed(w.Watch)
		most, why := "", "the client does not read it as fast as events come"
		if lag.Selects(w.Watch) {
			most = "at most "
		}
		if m := holding(s); m != nil {
			why = "its events are held or delayed by " + ruleName(*m)
		} else if r.holds(w.ID) {
			why = "its next event is held at the gate"
		}
		all = append(all, found{Wait{
			Kind: SlowWatch, Since: oldest, Watch: w.ID, Why: why,
			What: fmt.Sprintf("its watch of %s has not been sent %s%s, the oldest from %s ago",
				nameOfWatch(w.Watch), most, plural(n, "change"), span(now.Sub(oldest))),
		}, grave(SlowWatch)})
	}
	return all
}

// holding is the last mark of a rule that makes events of a watch late; nil if there is none.
func holding(s flow.WatchState) *flow.FaultMark {
	for i := len(s.Faults) - 1; i >= 0; i-- {
		switch m := &s.Faults[i]; m.Action {
		case "hold", "delay", "lag", "coalesce":
			return m
		}
	}
	return nil
}

func ruleName(m flow.FaultMark) string {
	switch {
	case m.Name != "":
		return "the fault rule " + m.Name
	case m.Rule != "":
		return "a fault rule (" + m.Rule + ")"
	}
	return "a person at the gate"
}
