package app_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app"
	"kubarium/flow"
	"kubarium/server/controllers"
)

// call sends a request and returns status and body.
func call(t testing.TB, method, url, contentType, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func mustCall(t testing.TB, want int, method, url, contentType, body string) string {
	t.Helper()
	code, text := call(t, method, url, contentType, body)
	if code != want {
		t.Fatalf("%s %s: %d, want %d: %s", method, url, code, want, text)
	}
	return text
}

const (
	jsonType  = "application/json"
	mergeType = "application/merge-patch+json"
)

// Patches that name no version all take effect, however many writers there are.
func TestProgram_concurrentPatches(t *testing.T) {
	p := mustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	mustCall(t, 201, "POST", url, jsonType, `{"metadata":{"name":"a"}}`)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 10 {
				mustCall(t, 200, "PATCH", url+"/a", mergeType, fmt.Sprintf(`{"data":{"k%d-%d":"x"}}`, i, j))
			}
		})
	}
	wg.Wait()
	var cm struct{ Data map[string]string }
	if err := json.Unmarshal([]byte(mustCall(t, 200, "GET", url+"/a", "", "")), &cm); err != nil || len(cm.Data) != 160 {
		t.Fatalf("%d of 160 patches are there, %v", len(cm.Data), err)
	}
}

// event is the head of a watch event.
type event struct {
	Type   string
	Object struct {
		Metadata struct{ Name, ResourceVersion string }
	}
}

// watchEvents opens a watch and sends its events until ctx ends.
func watchEvents(ctx context.Context, t testing.TB, url string) <-chan event {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan event, 1024)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var e event
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				events <- e
			}
		}
	}()
	return events
}

// A watcher that goes away and comes back with the last version it saw misses nothing and sees nothing twice.
func TestProgram_watchResume(t *testing.T) {
	p := mustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	const writes = 300
	go func() {
		for i := range writes {
			if code, text := call(t, "POST", url, jsonType, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i)); code != 201 {
				t.Errorf("create: %d %s", code, text)
			}
		}
	}()
	seen, last := 0, "1"
	for seen < writes {
		ctx, cancel := context.WithCancel(context.Background())
		events := watchEvents(ctx, t, url+"?watch=true&resourceVersion="+last)
		for range 40 {
			if seen == writes {
				break
			}
			e, ok := <-events
			if want := fmt.Sprintf("c%d", seen); !ok || e.Type != "ADDED" || e.Object.Metadata.Name != want {
				t.Fatalf("got %+v, want ADDED %s", e, want)
			}
			seen, last = seen+1, e.Object.Metadata.ResourceVersion
		}
		cancel()
	}
}

// A change made with plain SQL by another connection reaches a watcher with a version of its own, and the timeline
// says that it came from outside.
func TestProgram_outsideChange(t *testing.T) {
	p := mustStart(t, "full")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	mustCall(t, 201, "POST", url, jsonType, `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events := watchEvents(ctx, t, url+"?watch=true")
	first := <-events
	db, err := sql.Open("sqlite", p.DB+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE objects SET value = json_set(value, '$.data.k', '2') WHERE resource = 'configmaps' AND name = 'a'`); err != nil {
		t.Fatal(err)
	}
	e := <-events
	if e.Type != "MODIFIED" || e.Object.Metadata.ResourceVersion == first.Object.Metadata.ResourceVersion {
		t.Fatalf("%+v after %+v", e, first)
	}
	if text := mustCall(t, 200, "GET", url+"/a", "", ""); !strings.Contains(text, `"k":"2"`) {
		t.Fatal(text)
	}
	commits, _ := p.Log.Commits(0)
	if c := commits[len(commits)-1]; !c.Outside || c.Name != "a" || c.Type != flow.Updated {
		t.Fatalf("%+v", c)
	}
}

// With controllers, each namespace gets what every namespace has, and one that is deleted is emptied and goes, whatever is created in it
// meanwhile; nothing is left behind in the store.
func TestProgram_namespaceGoes(t *testing.T) {
	c := app.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()}
	p := mustStartConfig(t, c)
	ns := p.URL + "/api/v1/namespaces/shop"
	mustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", jsonType, `{"metadata":{"name":"shop"}}`)
	eventually(t, "what every namespace has", func() bool {
		a, _ := call(t, "GET", ns+"/serviceaccounts/default", "", "")
		b, _ := call(t, "GET", ns+"/configmaps/kube-root-ca.crt", "", "")
		return a == 200 && b == 200
	})
	mustCall(t, 201, "POST", ns+"/pods", jsonType, `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if code, text := call(t, "POST", ns+"/configmaps", jsonType, fmt.Sprintf(`{"metadata":{"name":"c%d-%d"}}`, w, i)); code != 201 && code != 403 && code != 404 {
					t.Errorf("create: %d %s", code, text)
				}
			}
		})
	}
	mustCall(t, 200, "DELETE", ns, "", "")
	eventually(t, "the namespace to go", func() bool {
		code, _ := call(t, "GET", ns, "", "")
		return code == 404
	})
	close(done)
	wg.Wait()
	for _, resource := range []string{"configmaps", "pods", "serviceaccounts"} {
		if text := mustCall(t, 200, "GET", ns+"/"+resource, "", ""); !strings.Contains(text, `"items":[]`) {
			t.Errorf("%s are left in a namespace that is gone: %s", resource, text)
		}
	}
}

// A pod that is deleted gracefully goes, though no kubelet is there to end it.
func TestProgram_podGoes(t *testing.T) {
	c := app.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()}
	p := mustStartConfig(t, c)
	url := p.URL + "/api/v1/namespaces/default/pods"
	mustCall(t, 201, "POST", url, jsonType, `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	if text := mustCall(t, 200, "DELETE", url+"/p", "", ""); !strings.Contains(text, `"deletionGracePeriodSeconds":30`) {
		t.Fatal(text)
	}
	eventually(t, "the pod to go", func() bool {
		code, _ := call(t, "GET", url+"/p", "", "")
		return code == 404
	})
}

// eventually waits for a condition, a minute at most.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Open watches are ended at once when a Program closes, so that its end does not wait for them.
func TestProgram_Close(t *testing.T) {
	p, err := app.Start(context.Background(), app.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal"}, discard())
	if err != nil {
		t.Fatal(err)
	}
	events := watchEvents(context.Background(), t, p.URL+"/api/v1/configmaps?watch=true")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := <-events; ok {
		t.Fatal("the watch went on")
	}
}
