// Package faults_test tests the effect of fault rules on requests of real clients over HTTP.
package faults_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow/rule"
)

// A gated is a server with a gate.
type gated struct {
	t testing.TB
	p *program.Program
	// client opens a connection for each request: on a reused one, net/http repeats a GET that got no answer.
	client *http.Client
}

// start starts a server without controllers.
func start(t *testing.T, rules ...string) *gated {
	t.Helper()
	return startFor(t, rules...)
}

func startFor(t testing.TB, rules ...string) *gated {
	t.Helper()
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute,
		Sync: "off"}
	c.Admission.Disable = []string{"ServiceAccount"} // no controller creates the accounts
	p, err := program.Start(context.Background(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	g := &gated{t, p, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	await(t, "the default namespace", func() bool {
		code, _ := g.ask("GET", "/api/v1/namespaces/default", "")
		return code == 200
	})
	g.rules(rules...)
	return g
}

func await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// rules replaces the rules.
func (g *gated) rules(lines ...string) {
	g.t.Helper()
	g.must(200, "PUT", "/debug/gate", strings.Join(lines, "\n"))
}

// An answered is the answer to a client.
type answered struct {
	code   int
	body   string
	header http.Header
	err    error
}

func (g *gated) send(ctx context.Context, method, path, contentType, body string) answered {
	r, err := http.NewRequestWithContext(ctx, method, g.p.URL+path, strings.NewReader(body))
	if err != nil {
		return answered{err: err}
	}
	if body != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("User-Agent", "faults.test")
	resp, err := g.client.Do(r)
	if err != nil {
		return answered{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answered{resp.StatusCode, string(text), resp.Header, err}
}

func (g *gated) ask(method, path, body string) (int, string) {
	contentType := "application/json"
	if method == "PATCH" {
		contentType = "application/merge-patch+json"
	}
	a := g.send(context.Background(), method, path, contentType, body)
	return a.code, a.body
}

func (g *gated) must(want int, method, path, body string) string {
	g.t.Helper()
	code, text := g.ask(method, path, body)
	if code != want {
		g.t.Fatalf("%s %s: %d, want %d: %s", method, path, code, want, text)
	}
	return text
}

const maps = "/api/v1/namespaces/default/configmaps"

func configMap(name, revision, value string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"resourceVersion":%q},"data":{"a":%q}}`, name, revision, value)
}

// revision returns the resourceVersion of an object or a list.
func revision(text string) string {
	var o struct {
		Metadata struct{ ResourceVersion string }
	}
	_ = json.Unmarshal([]byte(text), &o)
	return o.Metadata.ResourceVersion
}

// value is the value that configMap set.
func value(text string) string {
	var o struct{ Data map[string]string }
	_ = json.Unmarshal([]byte(text), &o)
	return o.Data["a"]
}

func (g *gated) create(name, value string) (revisionOf string) {
	g.t.Helper()
	return revision(g.must(201, "POST", maps, configMap(name, "", value)))
}

func (g *gated) update(name, value string) (revisionOf string) {
	g.t.Helper()
	return revision(g.must(200, "PUT", maps+"/"+name, configMap(name, "", value)))
}

func (g *gated) state() (s rule.State) {
	g.t.Helper()
	if err := json.Unmarshal([]byte(g.must(200, "GET", "/debug/gate", "")), &s); err != nil {
		g.t.Fatal(err)
	}
	return s
}

// heldOne waits until exactly n requests are held, and returns the last.
func (g *gated) held(n int) rule.Held {
	g.t.Helper()
	var s rule.State
	await(g.t, fmt.Sprint(n, " held requests"), func() bool { s = g.state(); return len(s.Held) == n })
	if n == 0 {
		return rule.Held{}
	}
	return s.Held[n-1]
}

// later sends a request concurrently.
func (g *gated) later(ctx context.Context, method, path, contentType, body string) <-chan answered {
	got := make(chan answered, 1)
	go func() { got <- g.send(ctx, method, path, contentType, body) }()
	return got
}

func (g *gated) letGo(id uint64, body string) {
	g.t.Helper()
	g.must(200, "POST", fmt.Sprintf("/debug/held?id=%d&do=go", id), body)
}

// An event is one of a watch.
type event struct {
	Type   string
	Object json.RawMessage
}

func (e event) String() string { return e.Type + " " + value(string(e.Object)) }

// watch opens a watch of ConfigMaps from a revision.
func (g *gated) watch(from string) (next func() (event, error), end func()) {
	g.t.Helper()
	r, err := http.NewRequest("GET", g.p.URL+maps+"?watch=true&resourceVersion="+from, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("User-Agent", "faults.test")
	resp, err := g.client.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewReader(resp.Body)
	return func() (e event, err error) {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		return e, err
	}, func() { resp.Body.Close() }
}

// events returns the next events of a watch as text.
func events(t *testing.T, next func() (event, error), n int) string {
	t.Helper()
	var all []string
	for range n {
		e, err := next()
		if err != nil {
			t.Fatalf("after %q: %v", all, err)
		}
		all = append(all, e.String())
	}
	return strings.Join(all, ", ")
}

// faultsOf returns the marks of the flows that match a filter.
func (g *gated) faultsOf(filter string) (marks []string) {
	g.t.Helper()
	for line := range bytes.Lines([]byte(g.must(200, "GET", "/debug/flows?filter="+filter, ""))) {
		var f struct {
			Faults []struct{ Action, Station, Outcome, Edited string }
			Watch  struct {
				State struct {
					Faults []struct{ Action, Station, Outcome, Edited, Object string }
				}
			}
		}
		if err := json.Unmarshal(line, &f); err != nil {
			g.t.Fatalf("%s: %v", line, err)
		}
		for _, m := range f.Faults {
			marks = append(marks, strings.TrimSpace(m.Action+" "+m.Station+": "+m.Outcome+" "+m.Edited))
		}
		for _, m := range f.Watch.State.Faults {
			marks = append(marks, strings.TrimSpace(m.Action+" "+m.Station+": "+m.Outcome+" "+m.Edited+" "+m.Object))
		}
	}
	return marks
}
