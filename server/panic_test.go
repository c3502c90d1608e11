package server_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/server"
)

// panics are places in an answer at which a handler panics, and whether a 500 can still be sent there.
var panics = map[string]struct {
	serve http.HandlerFunc
	is500 bool
}{
	"before the answer": {is500: true, serve: func(http.ResponseWriter, *http.Request) { panic("on purpose") }},
	"a status that HTTP cannot send": {is500: true, serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "3")
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(1000)
	}},
	"after an informational status": {is500: true, serve: func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		panic("on purpose")
	}},
	"after the header": {serve: func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		panic("on purpose")
	}},
	"after the header of an empty answer": {serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusCreated)
		panic("on purpose")
	}},
	"in the body": {serve: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[`)
		_ = http.NewResponseController(w).Flush()
		panic("on purpose")
	}},
	"in a compressed body": {serve: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.Repeat("{}", 1<<20))
		_ = z.Flush()
		_ = http.NewResponseController(w).Flush()
		panic("on purpose")
	}},
	"after the body": {serve: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}")
		panic("on purpose")
	}},
}

var is500 = regexp.MustCompile(`^500 .*caused apiserver to panic`)

// After a panic a client gets a 500 if nothing is sent, or else a cut connection, by HTTP/1 and HTTP/2.
func TestServer_panicAnywhere(t *testing.T) {
	for name, at := range panics {
		t.Run(name, func(t *testing.T) {
			s, log := mustNew(t, func(o *server.Options) { o.Debug = map[string]http.Handler{"/debug/panic": at.serve} })
			for _, h2 := range []bool{false, true} {
				h := httptest.NewUnstartedServer(s)
				h.EnableHTTP2 = h2
				h.StartTLS()
				resp, err := h.Client().Get(h.URL + "/debug/panic")
				var text []byte
				if err == nil {
					text, err = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
				h.Close()
				answered := "a cut connection"
				if err == nil {
					answered = fmt.Sprintf("%d %s", resp.StatusCode, text)
				}
				if err == nil != at.is500 || at.is500 && !is500.MatchString(answered) {
					t.Errorf("HTTP/2 %t: %s", h2, answered)
				}
			}
			mustPanic(t, log, 2)
		})
	}
}

// A watch that ends by a panic is cut, and so is one over a WebSocket, whose connection is no longer HTTP.
func TestServer_panicInWatch(t *testing.T) {
	var armed atomic.Bool
	url, log := mustServe(t, func(o *server.Options) {
		o.Now = func() time.Time { // the record of a watch asks for the time when the watch ends
			if armed.CompareAndSwap(true, false) {
				panic("on purpose")
			}
			return time.Now()
		}
	})
	resp, err := http.Get(url + "/api/v1/configmaps?watch=true&timeoutSeconds=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	armed.Store(true)
	if text, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the watch ended as if nothing had happened: %q", text)
	}
	ws, _, err := dialWatch(url, "?watch=true&timeoutSeconds=1", http.Header{"Origin": {url}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	armed.Store(true)
	if _, _, err := ws.ReadMessage(); err == nil {
		t.Error("the WebSocket goes on")
	}
	mustPanic(t, log, 2)
}

// mustPanic waits until so many flows have a panic.
func mustPanic(t *testing.T, log *flow.Log, n int) {
	t.Helper()
	for late := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		flows, _ := log.Since(0, 100)
		seen := map[uint64]bool{}
		for _, f := range flows {
			if f.Panic != "" {
				seen[f.Seq] = true
			}
		}
		if len(seen) == n {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%d flows with a panic, want %d", len(seen), n)
		}
	}
}
