package server_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"kubarium/server"
	"kubarium/server/storage"
)

// An outrun store lets another writer be faster than the next removal of an object.
type outrun struct {
	storage.Store
	faster atomic.Pointer[func()] // is called once, before the next removal; nil for nothing
}

func (o *outrun) Write(ctx context.Context, w storage.Write) (storage.Record, error) {
	if w.Op == storage.OpDelete {
		if f := o.faster.Swap(nil); f != nil {
			(*f)()
		}
	}
	return o.Store.Write(ctx, w)
}

// Where another client is faster to remove an object that a request has marked, or has taken the last finalizer from, the
// request has done what was asked all the same. The answers are those of kube-apiserver 1.37.
func TestServer_Outrun(t *testing.T) {
	const (
		maps = inDefault + "configmaps"
		pods = inDefault + "pods"
		held = maps + "/held"
		pod  = pods + "/p"
	)
	var store *outrun
	url, _ := mustServe(t, func(o *server.Options) {
		store = &outrun{Store: o.Registry.Store}
		o.Registry.Store = store
	})
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	merge := func(path, body string) request {
		return request{method: "PATCH", path: path, contentType: "application/merge-patch+json", body: body}
	}
	var (
		create  = func() { mustPods(t, url, "p") }
		remove  = request{method: "DELETE", path: pod + "?gracePeriodSeconds=0"}
		report  = merge(pod+"/status", `{"status":{"message":"stopped"}}`)
		release = merge(held, `{"metadata":{"finalizers":null}}`)
	)
	hold := func() {
		mustMake(t, url, maps, `{"metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
		if code, body := send(t, url, request{method: "DELETE", path: held}); code != 200 {
			t.Fatal(code, body)
		}
	}
	for _, c := range []struct {
		name         string
		begin        func()
		q, faster    request
		pinned       bool // q is for the one version that is there
		code         int
		want, object string
	}{
		{"a deletion, by an update", create, remove, report, false, 200, `"deletionTimestamp":"`, pod},
		{"a deletion, by a deletion", create, remove, remove, false, 200, `"deletionTimestamp":"`, pod},
		{"a deletion of one version, by an update", create, remove, report, true, 200, `"deletionTimestamp":"`, pod},
		{"an update, by an update", hold, release, release, false, 200, `"name":"held"`, held},
		{"a deletion without a mark, by a deletion", func() { mustMake(t, url, maps, `{"metadata":{"name":"free"}}`) },
			request{method: "DELETE", path: maps + "/free"}, request{method: "DELETE", path: maps + "/free"}, false, 404, `"reason":"NotFound"`, maps + "/free"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.begin()
			if c.pinned {
				_, body := send(t, url, request{method: "GET", path: pod})
				_, after, _ := strings.Cut(body, `"resourceVersion":"`)
				version, _, _ := strings.Cut(after, `"`)
				c.q.contentType, c.q.body = "application/json", `{"preconditions":{"resourceVersion":"`+version+`"}}`
			}
			faster := func() {
				if code, body := send(t, url, c.faster); code != 200 {
					t.Error("the faster one:", code, body)
				}
			}
			store.faster.Store(&faster)
			if code, body := send(t, url, c.q); code != c.code || !strings.Contains(body, c.want) {
				t.Errorf("%d %s; want %d with %s", code, body, c.code, c.want)
			}
			if code, _ := send(t, url, request{method: "GET", path: c.object}); code != 404 || store.faster.Load() != nil {
				t.Error("it is there still, or was not removed", code)
			}
		})
	}
}
