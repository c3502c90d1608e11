package program_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/server/controllers"
)

// Patches that name no version all take effect, however many writers there are.
func TestProgram_concurrentPatches(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"a"}}`)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 10 {
				programtest.MustCall(t, 200, "PATCH", url+"/a", programtest.MergeType, fmt.Sprintf(`{"data":{"k%d-%d":"x"}}`, i, j))
			}
		})
	}
	wg.Wait()
	var cm struct{ Data map[string]string }
	if err := json.Unmarshal([]byte(programtest.MustCall(t, 200, "GET", url+"/a", "", "")), &cm); err != nil || len(cm.Data) != 160 {
		t.Fatalf("%d of 160 patches are there, %v", len(cm.Data), err)
	}
}

// A watcher that goes away and comes back with the last version it saw misses nothing and sees nothing twice.
func TestProgram_watchResume(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	const writes = 300
	go func() {
		for i := range writes {
			if code, text := programtest.Call(t, "POST", url, programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, i)); code != 201 {
				t.Errorf("create: %d %s", code, text)
			}
		}
	}()
	seen, last := 0, "1"
	for seen < writes {
		ctx, cancel := context.WithCancel(context.Background())
		events := programtest.WatchEvents(ctx, t, url+"?watch=true&resourceVersion="+last)
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
	p := programtest.MustStart(t, "full")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events := programtest.WatchEvents(ctx, t, url+"?watch=true")
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
	if text := programtest.MustCall(t, 200, "GET", url+"/a", "", ""); !strings.Contains(text, `"k":"2"`) {
		t.Fatal(text)
	}
	programtest.Eventually(t, "a change from outside on the timeline", func() bool {
		commits, _ := p.Log.Commits(0)
		return slices.ContainsFunc(commits, func(c flow.Commit) bool { return c.Outside && c.Name == "a" && c.Type == flow.Updated })
	})
}

// With controllers, each namespace gets what every namespace has, and one that is deleted is emptied and goes, whatever is created in it
// meanwhile; nothing is left behind in the store.
func TestProgram_namespaceGoes(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()}
	p := programtest.MustStartConfig(t, c)
	ns := p.URL + "/api/v1/namespaces/shop"
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"shop"}}`)
	programtest.Eventually(t, "what every namespace has", func() bool {
		a, _ := programtest.Call(t, "GET", ns+"/serviceaccounts/default", "", "")
		b, _ := programtest.Call(t, "GET", ns+"/configmaps/kube-root-ca.crt", "", "")
		return a == 200 && b == 200
	})
	programtest.MustCall(t, 201, "POST", ns+"/pods", programtest.JSONType, `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
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
				if code, text := programtest.Call(t, "POST", ns+"/configmaps", programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"c%d-%d"}}`, w, i)); code != 201 && code != 403 && code != 404 {
					t.Errorf("create: %d %s", code, text)
				}
			}
		})
	}
	programtest.MustCall(t, 200, "DELETE", ns, "", "")
	programtest.Eventually(t, "the namespace to go", func() bool {
		code, _ := programtest.Call(t, "GET", ns, "", "")
		return code == 404
	})
	close(done)
	wg.Wait()
	for _, resource := range []string{"configmaps", "pods", "serviceaccounts"} {
		if text := programtest.MustCall(t, 200, "GET", ns+"/"+resource, "", ""); !strings.Contains(text, `"items":[]`) {
			t.Errorf("%s are left in a namespace that is gone: %s", resource, text)
		}
	}
}

// A pod that is deleted gracefully goes, though no kubelet is there to end it.
func TestProgram_podGoes(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()}
	p := programtest.MustStartConfig(t, c)
	url := p.URL + "/api/v1/namespaces/default/pods"
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	if text := programtest.MustCall(t, 200, "DELETE", url+"/p", "", ""); !strings.Contains(text, `"deletionGracePeriodSeconds":30`) {
		t.Fatal(text)
	}
	programtest.Eventually(t, "the pod to go", func() bool {
		code, _ := programtest.Call(t, "GET", url+"/p", "", "")
		return code == 404
	})
}

// Open watches are ended at once when a Program closes, so that its end does not wait for them.
func TestProgram_Close(t *testing.T) {
	p, err := program.Start(context.Background(), program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal"}, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	events := programtest.WatchEvents(context.Background(), t, p.URL+"/api/v1/configmaps?watch=true")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := <-events; ok {
		t.Fatal("the watch went on")
	}
}
