package controllers_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"kubarium/server/controllers"
	"kubarium/server/loopback"
)

// A pod is removed although the server refuses that for now: its watch goes on and does not bring the pod again.
func TestRun_podsLater(t *testing.T) {
	c := mustStartWith(t, controllers.List{})
	to, err := url.Parse(c.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	var refused atomic.Int64
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete && refused.Add(1) <= 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(between.Close)
	var list controllers.List
	if err := list.Set("pod-garbage-collector-controller"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		controllers.Run(ctx, loopback.Server{URL: between.URL}, controllers.Options{List: list, Log: slog.New(slog.DiscardHandler)})
	})
	const pods = "/api/v1/namespaces/default/pods"
	c.mustCreate(t, pods, `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	if code, text := c.call(t, "DELETE", pods+"/p", ""); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	eventually(t, "the pod is gone", func() bool { return c.code(t, pods+"/p") == http.StatusNotFound })
	if n := refused.Load(); n < 3 {
		t.Errorf("it was deleted after %d requests", n)
	}
}
