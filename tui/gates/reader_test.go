package gates_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/gates"
)

// next waits for news of the reader.
func next(t *testing.T, g *gates.Reader) {
	t.Helper()
	select {
	case <-g.News():
		g.Look()
	case <-time.After(time.Minute):
		t.Fatal("the reader has no news")
	}
}

func follow(t *testing.T, h http.HandlerFunc) (g *gates.Reader, ended chan struct{}, stop func()) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	g = gates.New(&client.Client{URL: s.URL})
	g.Pause = time.Millisecond
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		g.Run(ctx)
	}()
	return g, ended, cancel
}

// A state is taken over as it comes; a broken connection is reported, and opened again.
func TestReader_Run(t *testing.T) {
	var asked atomic.Int32
	g, ended, stop := follow(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RequestURI() != "/debug/gate?follow=true" {
			t.Errorf("asked for %s", r.URL)
		}
		n := int(asked.Add(1))
		_ = json.NewEncoder(w).Encode(rule.State{Rules: make([]rule.Active, n), Held: []rule.Held{{ID: 7, Watch: 3}}})
		w.(http.Flusher).Flush()
		if n > 1 {
			<-r.Context().Done()
		}
	})
	for len(g.Rules) == 0 {
		next(t, g)
	}
	if g.Trouble == "" && (!g.Shows() || g.Find(7) == nil || g.Find(8) != nil) {
		t.Errorf("%+v", g.State)
	}
	for len(g.Rules) < 2 {
		next(t, g)
	}
	if g.Trouble != "" || g.Look() {
		t.Errorf("%q, or there is news without a change", g.Trouble)
	}
	stop()
	<-ended
}

// A server of an earlier version has no gate: the reader says so once, and stops.
func TestReader_Run_OldServer(t *testing.T) {
	g, ended, _ := follow(t, http.NotFound)
	next(t, g)
	<-ended
	if g.Trouble != gates.Old || g.Shows() {
		t.Errorf("%q", g.Trouble)
	}
}

// A server that does not let the reader have its gate says why, and is not asked again.
func TestReader_Run_Refused(t *testing.T) {
	g, ended, _ := follow(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not for you", http.StatusForbidden) })
	next(t, g)
	<-ended
	if g.Trouble != "not for you" {
		t.Errorf("%q", g.Trouble)
	}
}
