package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
)

// The time between two tries of what is repeated until it fits: it doubles from the first to the last.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// A gate is the server's gate, as far as lessons use it: its fault rules, and the requests that these hold.
type gate struct{ client *client.Client }

// A gateState is what a server says of its gate.
type gateState struct {
	Rules []struct {
		ID   int    `json:"id"`
		Line string `json:"line"`
	} `json:"rules"`
	Held []struct {
		ID     uint64 `json:"id"`
		Client struct {
			UserAgent string `json:"userAgent"`
		} `json:"client"`
		Method  string `json:"method"`
		Path    string `json:"path"`
		Station string `json:"station"`
	} `json:"held"`
}

var errNotThere = errors.New("it is not there")

// ask sends a request to the server's gate.
func (g gate) ask(ctx context.Context, method, path, text string) (s gateState, err error) {
	a, err := g.client.Send(ctx, client.Manager, &scenarios.Request{Method: method, Path: path, Text: text})
	switch {
	case err != nil:
		return s, err
	case a.Status == http.StatusNotFound:
		return s, errNotThere
	case a.Status != http.StatusOK:
		return s, fmt.Errorf("%s: %s", a.Brief(), strings.TrimSpace(string(a.Body)))
	}
	return s, json.Unmarshal(a.Body, &s)
}

// add adds fault rules.
func (g gate) add(ctx context.Context, rules []string) error {
	if _, err := g.ask(ctx, http.MethodPost, scenarios.GatePath, strings.Join(rules, "\n")); err != nil {
		return fmt.Errorf("add fault rules: %w", err)
	}
	return nil
}

// mend removes the fault rules of a lesson: those that name its namespace.
func (g gate) mend(ctx context.Context, ns string) error {
	s, err := g.ask(ctx, http.MethodGet, scenarios.GatePath, "")
	if err != nil {
		return fmt.Errorf("remove fault rules: %w", err)
	}
	for _, r := range s.Rules {
		if !slices.Contains(strings.Fields(r.Line), "ns:"+ns) {
			continue
		}
		_, err := g.ask(ctx, http.MethodDelete, scenarios.GatePath+"?id="+strconv.Itoa(r.ID), "")
		if err != nil && !errors.Is(err, errNotThere) { // another client may have removed it
			return fmt.Errorf("remove fault rule %q: %w", r.Line, err)
		}
	}
	return nil
}

// held waits until the gate holds a request, and returns its number there and the station before which it is held. known
// reports whether a number is that of another request of the lesson.
func (g gate) held(ctx context.Context, q *client.Pending, known func(id uint64) bool) (id uint64, station string, err error) {
	deadline := time.Now().Add(g.client.Patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		s, err := g.ask(ctx, http.MethodGet, scenarios.GatePath, "")
		if err != nil {
			return 0, "", fmt.Errorf("ask who is held: %w", err)
		}
		for _, h := range s.Held {
			if h.Client.UserAgent == q.Request.UserAgent() && h.Method == q.Request.Method && h.Path == q.Request.URL.Path && !known(h.ID) {
				return h.ID, h.Station, nil
			}
		}
		if time.Now().Add(pause).After(deadline) {
			return 0, "", fmt.Errorf("no fault rule held it within %s", g.client.Patience)
		}
		select {
		case <-q.Done:
			if q.Err != nil {
				return 0, "", q.Err
			}
			return 0, "", fmt.Errorf("no fault rule held it: it was answered %s", q.Response.Brief())
		case <-ctx.Done():
			return 0, "", ctx.Err()
		case <-time.After(pause):
		}
	}
}

// release ends the hold of a request: it goes on, or is refused or dropped, as the lesson says.
func (g gate) release(ctx context.Context, id uint64, a *scenarios.Answer) error {
	path := fmt.Sprintf("/debug/held?id=%d&do=%s", id, a.Verdict())
	if a.Code != 0 {
		path += "&code=" + strconv.Itoa(a.Code)
	}
	if a.RetryAfter != 0 {
		path += "&retry-after=" + strconv.Itoa(a.RetryAfter)
	}
	if _, err := g.ask(ctx, http.MethodPost, path, ""); err != nil {
		return fmt.Errorf("let the held request go: %w", err)
	}
	return nil
}
