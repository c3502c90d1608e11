package controllers_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Whoever creates in a namespace while it is being deleted leaves nothing in it: what got in is deleted, the rest refused.
func TestRun_NamespaceOfBusyWriters(t *testing.T) {
	c := mustStart(t)
	c.mustCreate(t, "/api/v1/namespaces", `{"metadata":{"name":"busy"}}`)
	var writers sync.WaitGroup
	begun := make(chan struct{}, 8)
	for w := range 8 {
		writers.Go(func() {
			for i := 0; ; i++ {
				code, body := c.call(t, "POST", "/api/v1/namespaces/busy/configmaps", fmt.Sprintf(`{"metadata":{"name":"w%d-%d"}}`, w, i))
				if i == 5 {
					begun <- struct{}{}
				}
				if code == http.StatusCreated {
					continue
				}
				if code != http.StatusForbidden && code != http.StatusNotFound {
					t.Errorf("create: %d %s", code, body)
				}
				return
			}
		})
	}
	for range 8 {
		<-begun
	}
	c.call(t, "DELETE", "/api/v1/namespaces/busy", "")
	writers.Wait()
	eventually(t, "the namespace goes", func() bool { return c.code(t, "/api/v1/namespaces/busy") == 404 })
	var left struct{ Items []any }
	c.mustGet(t, "/api/v1/namespaces/busy/configmaps", &left)
	if len(left.Items) > 0 {
		t.Errorf("%d objects are left", len(left.Items))
	}
}

// A namespace that a client finalizes while something in it still waits, and creates again, is not emptied like the old
// one.
func TestRun_NamespaceMadeAnew(t *testing.T) {
	c := mustStart(t)
	const space, maps = "/api/v1/namespaces/again", "/api/v1/namespaces/again/configmaps"
	c.mustCreate(t, "/api/v1/namespaces", `{"metadata":{"name":"again"}}`)
	c.mustCreate(t, maps, `{"metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
	c.call(t, "DELETE", space, "")
	before := 0
	eventually(t, "the controller pauses for more than a second", func() bool {
		begun, requests := c.emptyings(t)
		quiet := requests == before
		before = requests
		time.Sleep(200 * time.Millisecond)
		return begun > 5 && quiet
	})
	seen, _ := c.emptyings(t)
	if code, body := c.call(t, "PUT", space+"/finalize", `{"metadata":{"name":"again"}}`); code != 200 {
		t.Fatalf("finalize: %d %s", code, body)
	}
	c.mustCreate(t, "/api/v1/namespaces", `{"metadata":{"name":"again"}}`)
	c.mustCreate(t, maps, `{"metadata":{"name":"new"}}`)

	eventually(t, "the controller comes again", func() bool { begun, _ := c.emptyings(t); return begun > seen })
	if code := c.code(t, maps+"/new"); code != 200 {
		t.Errorf("the object in the new namespace: %d", code)
	}
	if code := c.code(t, space); code != 200 {
		t.Errorf("the new namespace: %d", code)
	}
}

// emptyings is how often the controller of namespaces has read one by its name, which is how it begins to empty it, and how
// many requests it has made in all.
func (c cluster) emptyings(t *testing.T) (begun, requests int) {
	t.Helper()
	flows, _ := c.log.Since(0, 0)
	for _, f := range flows {
		if !strings.HasPrefix(f.Client.UserAgent, "kubarium-controller/namespace") {
			continue
		}
		requests++
		if f.Method == "GET" && f.Path == "/api/v1/namespaces/again" {
			begun++
		}
	}
	return begun, requests
}
