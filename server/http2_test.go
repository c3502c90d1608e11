package server_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A deadlined response tells when its writes are to have ended.
type deadlined struct {
	http.ResponseWriter
	at *atomic.Pointer[time.Time]
}

func (d deadlined) Unwrap() http.ResponseWriter { return d.ResponseWriter }

func (d deadlined) SetWriteDeadline(at time.Time) error {
	d.at.Store(&at)
	return http.NewResponseController(d.ResponseWriter).SetWriteDeadline(at)
}

// A watch over HTTP/2 that has nothing to send has no deadline, neither from its beginning nor from its last event: net/http
// ends a stream of HTTP/2 by it, even if nothing is being written.
func TestServer_watchIdleHTTP2(t *testing.T) {
	s, _ := mustNew(t, nil)
	var at atomic.Pointer[time.Time]
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("watch") {
			w = deadlined{w, &at}
		}
		s.ServeHTTP(w, r)
	}))
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetHTTP1(true)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Start()
	t.Cleanup(func() {
		s.EndWatches()
		h.Close()
	})
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	resp, err := client.Get(h.URL + "/api/v1/namespaces?watch=true&resourceVersion=0")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	mustBeIdle(t, &at, "its beginning")
	if code, body := send(t, h.URL, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"a"}}`}); code != http.StatusCreated {
		t.Fatal(code, body)
	}
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, "ADDED") || resp.ProtoMajor != 2 {
		t.Fatal(resp.Proto, line, err)
	}
	mustBeIdle(t, &at, "an event")
}

// mustBeIdle waits until there is no deadline.
func mustBeIdle(t *testing.T, at *atomic.Pointer[time.Time], after string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if last := at.Load(); last != nil && last.IsZero() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s the deadline is %v", after, at.Load())
		}
	}
}
