package bootstrap_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
)

// A cluster is a whole Kubarium without controllers, whose bootstrap objects are all there.
type cluster struct {
	url   string
	close func()
}

func mustStart(t *testing.T) cluster { return mustStartOn(t, ":memory:") }

func mustStartOn(t *testing.T, db string) cluster {
	t.Helper()
	config := program.Config{Listen: "127.0.0.1:0", DB: db, History: time.Minute, Sync: "normal"}
	p, err := program.Start(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c := cluster{p.URL, sync.OnceFunc(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})}
	t.Cleanup(c.close)
	select {
	case <-p.Bootstrapped():
	case <-time.After(time.Minute):
		t.Fatal("bootstrap objects are missing after a minute")
	}
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

// must sends a request that succeeds.
func (c cluster) must(t *testing.T, method, path, body string) {
	t.Helper()
	if code, text := c.call(t, method, path, body); code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
}

// get reads an object or a list, which may be missing.
func get[T any](t *testing.T, c cluster, path string) (out T, ok bool) {
	t.Helper()
	code, text := c.call(t, "GET", path, "")
	if code == 404 {
		return out, false
	}
	if err := json.Unmarshal(text, &out); err != nil || code != 200 {
		t.Fatalf("GET %s: %d %s", path, code, text)
	}
	return out, true
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

// everything lists all objects by collection, namespace and name.
func (c cluster) everything(t *testing.T) map[string]map[string]any {
	t.Helper()
	type resources struct {
		Resources []struct {
			Name  string
			Verbs []string
		}
	}
	groups, _ := get[struct {
		Groups []struct {
			Versions []struct{ GroupVersion string }
		}
	}](t, c, "/apis")
	prefixes := []string{"/api/v1"}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			prefixes = append(prefixes, "/apis/"+v.GroupVersion)
		}
	}
	all := map[string]map[string]any{}
	for _, prefix := range prefixes {
		served, _ := get[resources](t, c, prefix)
		for _, r := range served.Resources {
			if r.Name == "componentstatuses" || !strings.Contains(strings.Join(r.Verbs, " "), "list") {
				continue
			}
			list, _ := get[struct{ Items []map[string]any }](t, c, prefix+"/"+r.Name)
			for _, o := range list.Items {
				m := o["metadata"].(map[string]any)
				namespace, _ := m["namespace"].(string)
				all[strings.Join([]string{prefix, r.Name, namespace, m["name"].(string)}, " ")] = o
			}
		}
	}
	return all
}

// recording makes a line of each object, sorted, without what differs from start to start and from host to host.
func recording(t *testing.T, all map[string]map[string]any) []byte {
	t.Helper()
	var lines []string
	for key, o := range all {
		m := o["metadata"].(map[string]any)
		var managers []any
		for _, f := range m["managedFields"].([]any) {
			f := f.(map[string]any)
			managers = append(managers, f["manager"].(string)+" "+f["operation"].(string))
		}
		m["managedFields"] = managers
		for _, name := range []string{"uid", "resourceVersion", "creationTimestamp"} {
			delete(m, name)
		}
		if status, ok := o["status"].(map[string]any); ok {
			conditions, _ := status["conditions"].([]any)
			for _, c := range conditions {
				delete(c.(map[string]any), "lastTransitionTime")
			}
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, key+" "+string(text)+"\n")
	}
	return []byte(strings.Join(sorted(lines), ""))
}

func mustReadFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}
