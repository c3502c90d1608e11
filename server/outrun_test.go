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
// request has done what was asked all the same. Otherwise it looks at the object again, as it is now. The answers are those
// of kube-apiserver 1.37, which does not keep an object for a finalizer that comes as late.
func TestServer_Outrun(t *testing.T) {
	const (
		maps, pods = inDefault + "configmaps", inDefault + "pods"
		stored     = `StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/free, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: `
	)
	var store *outrun
	url, _ := mustServe(t, func(o *server.Options) {
		store = &outrun{Store: o.Registry.Store}
		o.Registry.Store = store
	})
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	mustPods(t, url, "reported", "deleted", "pinned")
	mustMake(t, url, maps, `{"metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
	mustMake(t, url, maps, `{"metadata":{"name":"free"}}`)
	remove := request{method: "DELETE"}
	merge := func(body string) request {
		return request{method: "PATCH", contentType: "application/merge-patch+json", body: body}
	}
	release, change := merge(`{"metadata":{"finalizers":null}}`), merge(`{"data":{"a":"b"}}`)
	report := merge(`{"status":{"message":"stopped"}}`)
	if code, body := send(t, url, request{method: "DELETE", path: maps + "/held"}); code != 200 {
		t.Fatal(code, body)
	}
	for _, c := range []struct {
		name      string
		path      string // of the object
		q, faster request
		pinned    bool   // q is for the one version that is there
		below     string // the path of what the faster one changes
		code      int
		want      string
		left      int // the answer to a get after both
	}{
		{"a deletion, by an update", pods + "/reported", remove, report, false, "/status", 200, `"deletionTimestamp":"`, 404},
		{"a deletion, by another", pods + "/deleted", remove, remove, false, "", 200, `"deletionTimestamp":"`, 404},
		{"a deletion of one version, by an update", pods + "/pinned", remove, report, true, "/status", 200, `"deletionTimestamp":"`, 404},
		{"an update, by another", maps + "/held", release, release, false, "", 200, `"name":"held"`, 404},
		{"a deletion of one version without a mark, by an update", maps + "/free", remove, change, true, "", 409, stored, 200},
		{"a deletion without a mark, by an update", maps + "/free", remove, merge(`{"metadata":{"finalizers":["example.com/hold"]}}`), false, "", 200, `"deletionTimestamp":"`, 200},
		{"an update without finalizers, by another", maps + "/free", release, release, false, "", 200, `"name":"free"`, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.q.path, c.faster.path = c.path, c.path+c.below
			if c.pinned {
				_, body := send(t, url, request{method: "GET", path: c.path})
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
			if code, _ := send(t, url, request{method: "GET", path: c.path}); code != c.left || store.faster.Load() != nil {
				t.Errorf("%d after it, want %d; whether another was faster: %t", code, c.left, store.faster.Load() == nil)
			}
		})
	}
}
