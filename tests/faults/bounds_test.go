package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/server/gate"
)

// Large bodies that are held or delayed leave room for requests that no rule matches. They stay held when their rule is
// removed, and go on one after another when they are released.
func TestHold_largeBodies(t *testing.T) {
	g := start(t)
	g.must(201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"other"}}`)
	large := func(i, size int) string { return configMap(fmt.Sprint("c", i), "", strings.Repeat("x", size)) }
	const many = 24 // of 1 MB: more than the 18 MiB that large bodies share
	for _, rule := range []string{"hold before store on verb:create ns:default",
		"delay 30s before store on verb:create ns:default"} {
		ctx, leave := context.WithCancel(t.Context())
		g.rules(rule)
		var got []<-chan answered
		for i := range many {
			got = append(got, g.later(ctx, "POST", maps, "application/json", large(i, 1_000_000)))
			await(t, "the rule", func() bool { return g.state().Rules[0].Hits == i+1 })
		}
		g.must(201, "POST", "/api/v1/namespaces/other/configmaps", large(len(rule), 40_000))
		if strings.HasPrefix(rule, "hold") {
			g.rules()
			g.held(many)
			g.must(200, "POST", "/debug/held?id=all&do=go", "")
		} else {
			leave()
		}
		for _, a := range got {
			if a := <-a; a.code != 201 && ctx.Err() == nil {
				t.Errorf("%d %.300s %v", a.code, a.body, a.err)
			}
		}
		g.rules()
		for i := range many {
			g.ask("DELETE", maps+"/"+fmt.Sprint("c", i), "")
		}
		leave()
	}
}

// At most 64 MiB of bodies are held: further requests are answered with advice. A body that cannot be read is not held.
func TestHold_bytes(t *testing.T) {
	g := start(t, "hold before decode on verb:create")
	body := strings.Repeat("x", 2_900_000)
	const most = 64 << 20 / 2_900_000
	for i := range most {
		g.later(t.Context(), "POST", maps, "application/json", body)
		g.held(i + 1)
	}
	a := g.send(t.Context(), "POST", maps, "application/json", body)
	if a.code != 429 || !strings.Contains(a.body, "Let some go at /debug/held") || a.header.Get("Retry-After") != "1" {
		t.Errorf("%d %.300s %v", a.code, a.body, a.header)
	}
	if a := g.send(t.Context(), "POST", maps, "application/json", body+body); a.code != 413 && a.err == nil { // it may still be sending
		t.Errorf("a body that is too large: %d %.300s", a.code, a.body)
	}
	g.held(most)
	g.must(200, "POST", "/debug/held?id=all&do=drop", "")
	g.held(0)
	g.later(t.Context(), "POST", maps, "application/json", body)
	g.held(1)
}

// A long list is held without its text, and goes on unchanged.
func TestHold_longList(t *testing.T) {
	g := start(t)
	for i := range 4 {
		g.must(201, "POST", maps, configMap(fmt.Sprint("c", i), "", strings.Repeat("x", 1_000_000)))
	}
	g.rules("hold before encode on verb:list res:configmaps")
	got := g.later(t.Context(), "GET", maps, "", "")
	h := g.held(1)
	if h.Edits != "" || h.Size != 0 {
		t.Errorf("%+v", h)
	}
	g.letGo(h.ID, "")
	if a := <-got; a.code != 200 || len(a.body) < 4_000_000 {
		t.Errorf("%d, %d bytes", a.code, len(a.body))
	}
}

// A waiting is a request that only waits at a gate.
type waiting struct{}

func (waiting) Stop() (goOn func())                              { return func() {} }
func (waiting) Aside(_ context.Context, wait func() error) error { return wait() }
func (waiting) Committed() bool                                  { return false }
func (waiting) Left() time.Duration                              { return 0 }
func (waiting) Editable(string) (gate.Editable, error)           { return gate.Editable{}, nil }

// At most 2,000 requests are held, and there is room again when they have gone.
func TestGate_bounded(t *testing.T) {
	const most = 2000
	g := gate.New(gate.Options{})
	s, err := rule.ParseSet("hold")
	if err == nil {
		_, err = g.Add(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	log := flow.NewLog(flow.Limits{})
	pass := func() error {
		rec := log.Begin(nil)
		g.Pass(rec, waiting{})
		return rec.Before(t.Context(), "negotiate")
	}
	for range 2 {
		errs := make(chan error)
		for range most {
			go func() { errs <- pass() }()
		}
		await(t, "all", func() bool { return len(g.State(t.Context()).Held) == most })
		if err := pass(); !apierrors.IsTooManyRequests(err) {
			t.Errorf("one more: %v", err)
		}
		if n := g.DecideAll(gate.Verdict{Do: gate.Go}); n != most {
			t.Errorf("%d were let go", n)
		}
		for range most {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	}
}

// Clients that follow the gate share its encoded state.
func TestGate_followers(t *testing.T) {
	const followers, held = 100, 600
	g := start(t, "hold on verb:get res:configmaps")
	for range held {
		g.later(t.Context(), "GET", maps+"/a", "", "")
	}
	g.held(held)
	var lines [followers]atomic.Int64
	for i := range followers {
		resp, err := g.client.Get(g.p.URL + "/debug/gate?follow=true")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		go func() {
			part := make([]byte, 16<<10)
			for n, err := 0, error(nil); err == nil; lines[i].Add(int64(bytes.Count(part[:n], []byte("\n")))) {
				n, err = resp.Body.Read(part)
			}
		}()
	}
	all := func(least int64) func() bool {
		return func() bool {
			for i := range lines {
				if lines[i].Load() < least {
					return false
				}
			}
			return true
		}
	}
	await(t, "the first lines", all(1))
	for before := int64(-1); ; time.Sleep(200 * time.Millisecond) { // the states that the gate sent because they connected
		now := int64(0)
		for i := range lines {
			now += lines[i].Load()
		}
		if now == before {
			break
		}
		before = now
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines = [followers]atomic.Int64{}
	g.must(200, "POST", "/debug/gate", "hold on verb:delete res:pods")
	await(t, "the next lines", all(1))
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 40<<20 {
		t.Errorf("a change of %d held requests for %d followers made %d MiB", held, followers, made>>20)
	}
}
