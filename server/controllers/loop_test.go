package controllers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"kubarium/server/controllers"
)

// A brief is a way to a server on which watches end after a second.
type brief struct {
	*httptest.Server
	lists, watches atomic.Int64
	before         atomic.Pointer[func()] // called once, before the next watch; nil for nothing
}

func mustBrief(t *testing.T, server string) *brief {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	b := &brief{}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query(); {
		case query.Has("continue"): // a list's next page
		case !query.Has("watch"):
			b.lists.Add(1)
		default:
			b.watches.Add(1)
			if f := b.before.Swap(nil); f != nil {
				(*f)()
			}
			r.URL.RawQuery += "&timeoutSeconds=1"
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(b.Close)
	return b
}

// When a watch ends, the next one goes on from where it was: nothing is listed again, and nothing is lost or comes twice. Where
// the history is gone, the collection is listed again.
func TestClient_follow(t *testing.T) {
	c := mustStartWith(t, controllers.List{})
	b := mustBrief(t, c.url)
	const maps = "/api/v1/namespaces/default/configmaps"
	var mu sync.Mutex
	seen := map[string]int{}
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	following.Go(func() {
		controllers.Client{Server: b.URL, Name: "test", HTTP: http.DefaultClient}.Follow(ctx, maps, func(eventType string, object json.RawMessage) {
			var o struct{ Metadata struct{ Name string } }
			_ = json.Unmarshal(object, &o) // the end of a list has none
			mu.Lock()
			defer mu.Unlock()
			seen[eventType+" "+o.Metadata.Name]++
		})
	})
	times := func(what string) int { mu.Lock(); defer mu.Unlock(); return seen[what] }
	eventually(t, "the first list", func() bool { return times("LISTED ") == 1 })
	made := 0
	for end := b.watches.Load() + 3; b.watches.Load() < end; made++ {
		c.mustCreate(t, maps, fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, made))
		eventually(t, "an event", func() bool { return times(fmt.Sprint("ADDED c", made)) > 0 })
	}
	if n := b.lists.Load(); n != 1 {
		t.Errorf("%d lists in %d watches", n, b.watches.Load())
	}
	for i := range made {
		if n := times(fmt.Sprint("ADDED c", i)); n != 1 {
			t.Errorf("c%d came %d times", i, n)
		}
	}
	gone := func() {
		c.call(t, "DELETE", maps+"/c0", "")
		c.mustCreate(t, maps, `{"metadata":{"name":"last"}}`)
		c.call(t, "POST", "/debug/compact", "")
	}
	b.before.Store(&gone)
	eventually(t, "another list", func() bool { return times("LISTED ") == 2 && times("ADDED last") == 1 })
	if n := times("ADDED c0"); n != 1 || b.lists.Load() != 2 {
		t.Errorf("c0 came %d times, %d lists", n, b.lists.Load())
	}
}
