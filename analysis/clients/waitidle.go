package clients

import (
	"fmt"
	"strings"
	"time"

	"kubarium/flow"
)

const (
	// silent is for how long a client without an open watch must have sent nothing before it is said to be gone.
	silent = 2 * time.Second
)

// lasting are the commands of kubectl that send nothing for a long time while they run.
var lasting = []string{"edit", "debug", "exec", "attach", "port-forward", "proxy", "cp", "logs"}

// ended reports whether the client is a run of kubectl that is over.
func (c *client) ended(out *Client, now time.Time) (Wait, bool) {
	if c.Run() == "" || now.Sub(c.latest) < silent {
		return Wait{}, false
	}
	for i := range out.Watches {
		if open(out.Watches[i].Watch) {
			return Wait{}, false
		}
	}
	for _, verb := range lasting {
		if strings.HasPrefix(strings.TrimPrefix(c.Command, "kubectl "), verb) {
			return Wait{}, false
		}
	}
	w := Wait{Kind: Gone, Since: c.latest, What: fmt.Sprintf("for nothing: it ended %s ago", span(now.Sub(c.latest)))}
	for _, f := range c.refusals.all() {
		if f.Last.Equal(c.latest) {
			w.Seq = f.Seq
			w.Why = fmt.Sprintf("its last request was refused with %d: %s", f.Status, f.Message)
		}
		break
	}
	return w, true
}

// gone reports whether the client closed all its watches, and has sent nothing since.
func (c *client) gone(out *Client, now time.Time) (Wait, bool) {
	n, last := 0, time.Time{}
	for i := range out.Watches {
		s := out.Watches[i].State()
		if s.Ended.IsZero() || s.Cause != clientLeft {
			return Wait{}, false
		}
		if !out.Watches[i].Other {
			n++
		}
		if s.Ended.After(last) {
			last = s.Ended
		}
	}
	if n == 0 || c.Last.After(last) || now.Sub(last) < silent {
		return Wait{}, false
	}
	return Wait{Kind: Gone, Since: last, What: fmt.Sprintf("for nothing: it closed its %s %s ago, and has sent "+
		"nothing since",
		plural(n, "watch"), span(now.Sub(last)))}, true
}

// idle says what a client with nothing in its way waits for.
func (c *client) idle(out *Client, now time.Time) Wait {
	own, others, stopped := 0, 0, 0
	var last flow.Frame
	var of *flow.Watch
	for i := range out.Watches {
		w := &out.Watches[i]
		s := w.State()
		switch {
		case s.Cause == stopping:
			stopped++
		case !s.Ended.IsZero():
			continue
		}
		if w.Other {
			others++
		} else {
			own++
		}
		for _, f := range lastFrames(w.Watch, s) {
			if f.Type != "BOOKMARK" && f.Written.After(last.Written) {
				last, of = f, w.Watch
			}
		}
	}
	w := Wait{Kind: Idle, Since: c.latest}
	switch {
	case own > 0:
		w.What = "for the next event of its " + plural(own, "watch")
	case others > 0:
		w.What = "for the next event of the " + plural(others, "watch") + " of its program"
	default:
		w.What = fmt.Sprintf("for nothing that is known: it has no watch, and its last request was answered %s ago",
			span(now.Sub(c.latest)))
		return w
	}
	if of != nil {
		w.Since, w.Watch = last.Written, of.ID
		w.What += fmt.Sprintf("; the last one came %s ago", span(now.Sub(last.Written)))
		if last.Name != "" {
			w.Why = fmt.Sprintf("that was %s of %s at rv %d", last.Type,
				nameOfObject(streamOf(of.Target, "").Resource, last.Namespace, last.Name), last.Revision)
		}
	}
	if stopped == own+others {
		w.Why = joined(w.Why, "the server has stopped since")
	}
	return w
}

// unanswered are the requests of the client that are held or in progress.
func (r *Reader) unanswered(c *client, now time.Time) (all []found) {
	held := map[string]bool{}
	if r.Held != nil {
		for _, h := range r.Held() {
			if h.Client.Tag != c.Tag || h.Frame != nil {
				continue
			}
			held[h.Method+h.Path] = true
			all = append(all, found{Wait{
				Kind: Unanswered, Since: h.Since, Until: h.Until,
				What: fmt.Sprintf("its %s of %s is held at the gate before %s for "+
					"%s", h.Target.Verb, nameOfTarget(h.Target, h.Path),
					h.Station, span(now.Sub(h.Since))),
				Why: "a fault rule holds it until a person lets it go or its time is up",
			}, grave(Unanswered)})
		}
	}
	if r.Underway == nil {
		return all
	}
	for _, u := range r.Underway() {
		lasts := connects[u.Target.Subresource]
		if u.Client.Tag != c.Tag || now.Sub(u.Start) < silent || held[u.Method+u.Path] || lasts {
			continue
		}
		all = append(all, found{Wait{
			Kind: Unanswered, Since: u.Start,
			What: fmt.Sprintf("its %s of %s has not been answered for %s", u.Target.Verb, nameOfTarget(u.Target,
				u.Path),
				span(now.Sub(u.Start))),
		}, grave(Unanswered)})
	}
	return all
}

// holds reports whether the gate holds an event of a watch.
func (r *Reader) holds(watch uint64) bool {
	if r.Held == nil {
		return false
	}
	for _, h := range r.Held() {
		if h.Frame != nil && h.Watch == watch {
			return true
		}
	}
	return false
}
