package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"kubarium/flow"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/route"
)

// mustServer is a server with a page to ask for; its registry has no store behind it.
func mustServer(t testing.TB, debug map[string]http.Handler) *Server {
	t.Helper()
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...)}
	return New(Options{Registry: r, Log: flow.NewLog(flow.Limits{}), Debug: debug})
}

// Every endpoint that can be found has a handler.
func TestHandlers(t *testing.T) {
	for h := route.Get; h < route.Handlers; h++ {
		if handlers[h] == nil {
			t.Errorf("endpoint %d has none", h)
		}
	}
}

// A Host header names this machine in any case, with a dot at its end or without one, and with any port.
func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost": true, "localhost:8080": true, "[::1]:8080": true, "127.9.9.9": true, "a.localhost:1": true,
		"LOCALHOST": true, "LocalHost:8080": true, "localhost.": true, "LOCALHOST.:8080": true, "A.localhost.": true, "127.0.0.1.": true,
		"127.0.0.1.:8080": true, "[::1]": true, "[0:0:0:0:0:0:0:1]:1": true, "[::ffff:127.0.0.1]:1": true, "localhost:": true, "localhost:99999": true,
		"example.com": false, "example.com:8080": false, "127.0.0.1.example.com": false, "": false, "10.0.0.1:8080": false, "localhost.example.com": false,
		"localhost.evil.com": false, "127.0.0.1.nip.io": false, "localhost..": false, ".": false, ":8080": false, "0.0.0.0:8080": false, "[::]:8080": false,
		"localhost:http": false, "localhost:8080.evil.com": false, "localhost:80:80": false, "evil.com:localhost": false, "evillocalhost": false,
		"127.1": false, "2130706433": false, "[fe80::1]": false, "[::1%25lo]": false, "local\u212aost": false, "localhost\x00": false,
	} {
		if got := namesLoopback(host); got != want {
			t.Errorf("namesLoopback(%q) = %v", host, got)
		}
	}
}

// A page of another site cannot read, write or make the server work through a browser, which says where a request is from; a
// link to the API may be followed. Other clients say nothing.
func TestServer_foreign(t *testing.T) {
	s := mustServer(t, map[string]http.Handler{"/debug/x": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("seen")) })})
	const api = "/api/v1"
	for _, c := range []struct {
		method, path, site, mode, dest, origin string
		want                                   int
	}{
		{"GET", "/debug/x", "", "", "", "", 200},
		{"GET", "/debug/x", "none", "navigate", "document", "", 200},
		{"GET", "/debug/x", "same-origin", "cors", "empty", "", 200},
		{"POST", "/debug/x", "same-origin", "cors", "empty", "http://LocalHost:1", 200},
		{"GET", "/debug/x", "cross-site", "no-cors", "image", "", 403},
		{"GET", "/debug/x", "same-site", "no-cors", "image", "", 403},
		{"GET", "/debug/x", "cross-site", "navigate", "document", "", 403},
		{"HEAD", "/debug/x", "cross-site", "navigate", "document", "", 403},
		{"POST", "/debug/x", "cross-site", "navigate", "document", "null", 403},
		{"POST", "/debug/x", "cross-site", "", "", "", 403},
		{"GET", "/debug/x", "anything", "", "", "", 403},
		{"GET", "/debug/x", "", "", "", "null", 403},
		{"GET", "/debug/x", "", "", "", "http://evil.example", 403},
		{"GET", "/debug/x", "same-origin", "", "", "http://localhost:2", 403},
		{"GET", api, "cross-site", "navigate", "document", "", 200},
		{"GET", api, "same-site", "no-cors", "script", "", 403},
		{"GET", api, "cross-site", "no-cors", "image", "", 403},
		{"GET", api, "cross-site", "navigate", "iframe", "", 403},
		{"GET", api, "cross-site", "websocket", "empty", "", 403},
		{"POST", api, "cross-site", "navigate", "document", "", 403},
		{"GET", api, "none", "", "", "", 200},
	} {
		r := httptest.NewRequest(c.method, "http://localhost:1"+c.path, nil)
		for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": c.dest, "Origin": c.origin} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d %s", c, w.Code, w.Body)
		}
	}
}
