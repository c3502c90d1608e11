package controllers_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow"
	"kubarium/server/controllers"
)

// A cluster is a whole Kubarium with its controllers.
type cluster struct {
	*program.Program
	url   string
	log   *flow.Log
	close func()
}

func mustStart(t *testing.T) cluster { return mustStartWith(t, controllers.All()) }

func mustStartWith(t *testing.T, list controllers.List) cluster { return mustStartNodes(t, list, 0) }

func mustStartNodes(t *testing.T, list controllers.List, nodes int) cluster {
	t.Helper()
	config := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: list, Nodes: nodes}
	config.Admission.Disable = []string{"ServiceAccount"} // the accounts may be late, or are never made
	p, err := program.Start(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c := cluster{p, p.URL, p.Log, sync.OnceFunc(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})}
	t.Cleanup(c.close)
	return c
}

// call sends a request and returns the answer's code and body.
func (c cluster) call(t *testing.T, method, path, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, text
}

// mustCreate creates an object and returns its uid.
func (c cluster) mustCreate(t *testing.T, path, body string) string {
	t.Helper()
	code, text := c.call(t, "POST", path, body)
	var object struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal(text, &object); err != nil || code != 201 {
		t.Fatalf("POST %s: %d %s", path, code, text)
	}
	return object.Metadata.UID
}

// mustGet reads an object or a list into out.
func (c cluster) mustGet(t *testing.T, path string, out any) {
	t.Helper()
	code, text := c.call(t, "GET", path, "")
	if err := json.Unmarshal(text, out); err != nil || code != 200 {
		t.Fatalf("GET %s: %d %s", path, code, text)
	}
}

// eventually waits until something is so. The limit is for slow machines.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

func (c cluster) code(t *testing.T, path string) int {
	t.Helper()
	code, _ := c.call(t, "GET", path, "")
	return code
}
