// Package gates has the last known state of a server's gate: its fault rules, and the requests that they hold. It reads
// it over HTTP as any client could, and is idle while nothing changes. Its words for held requests are used by all
// pages.
package gates

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/term"
)

// The paths of a gate, and of one held request.
const (
	Path     = "/debug/gate"
	HeldPath = "/debug/held"
)

// A Reader follows a gate. Run may be in any goroutine; Look takes over what it has read; the rest is for the UI's loop
// only.
type Reader struct {
	rule.State
	Trouble string        // why the state is not known; "" if it is
	Version int           // counts the states that Look took over
	Pause   time.Duration // how long Run waits before it reconnects

	api  *client.Client
	news chan struct{}

	mu   sync.Mutex // guards what follows
	told state
	is   bool // told is new
}

// A state is the known state of a gate.
type state struct {
	rule.State
	trouble string
}

// New returns a Reader that knows nothing yet.
func New(api *client.Client) *Reader {
	return &Reader{Pause: 2 * time.Second, api: api, news: make(chan struct{}, 1)}
}

// News receives a token when Look has something to take over.
func (g *Reader) News() <-chan struct{} { return g.news }

// Look takes over the newest state, and reports whether there was a new one.
func (g *Reader) Look() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.is {
		return false
	}
	g.State, g.Trouble, g.is = g.told.State, g.told.trouble, false
	g.Version++
	return true
}

// Tell sets the state of the gate.
func (g *Reader) Tell(s rule.State) { g.tell(state{State: s}) }

func (g *Reader) tell(s state) {
	g.mu.Lock()
	g.told, g.is = s, true
	g.mu.Unlock()
	select {
	case g.news <- struct{}{}:
	default: // a token is waiting already
	}
}

// Old is the trouble for a server without a gate.
const Old = "this server has no gate: it is of an earlier version"

// Run follows the gate until ctx ends, or the server turns out to have none. It reconnects after an error.
func (g *Reader) Run(ctx context.Context) {
	for ctx.Err() == nil {
		err := g.api.Follow(ctx, Path, url.Values{"follow": {"true"}}, func(line []byte) error {
			var s rule.State
			if err := json.Unmarshal(line, &s); err != nil {
				return err
			}
			g.Tell(s)
			return nil
		})
		var no *client.Refusal
		switch {
		case ctx.Err() != nil:
			return
		case errors.As(err, &no) && no.Code == http.StatusNotFound:
			g.tell(state{trouble: Old})
			return
		case errors.As(err, &no) && no.Code == http.StatusForbidden:
			g.tell(state{trouble: no.Message})
			return
		case err != nil:
			g.tell(state{trouble: "the gate is not known now: " + err.Error()})
		default:
			g.tell(state{trouble: "the gate is not known now: the server ended the answer"})
		}
		select {
		case <-time.After(g.Pause):
		case <-ctx.Done():
		}
	}
}

// Committed applies commits: the objects of held requests may have other versions now, which the gate itself reports
// only when it changes.
func (g *Reader) Committed(commits []flow.Commit) {
	for i := range g.Held {
		h := &g.Held[i]
		if h.Target.Name == "" || h.Frame != nil {
			continue
		}
		resource := client.Resource{Group: h.Target.Group, Name: h.Target.Resource}
		for j := range commits {
			c := &commits[j]
			about := c.Resource == resource.ID() && c.Namespace == h.Target.Namespace && c.Name == h.Target.Name
			if about && c.Revision > h.Stored && c.At.After(h.Start) {
				h.Stored = term.Pick(c.Type == flow.Deleted, 0, c.Revision)
			}
		}
	}
}

// Shows reports whether every page shows the state of the gate.
func (g *Reader) Shows() bool { return len(g.Rules)+len(g.Held) > 0 }

// Rule returns the rule with an ID, nil if there is none any more.
func (g *Reader) Rule(id int) *rule.Active {
	for i := range g.Rules {
		if g.Rules[i].ID == id {
			return &g.Rules[i]
		}
	}
	return nil
}

// HoldsEvent reports whether an event of a watch is held.
func (g *Reader) HoldsEvent(watch uint64) bool {
	for i := range g.Held {
		if g.Held[i].Watch == watch && g.Held[i].Frame != nil {
			return true
		}
	}
	return false
}
