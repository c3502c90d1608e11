package server

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"kubarium/server/flow"
	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// mustServer is a server whose routes can be asked for; its registry has no store behind it.
func mustServer(t testing.TB) *Server {
	t.Helper()
	r := &registry.Registry{Catalogue: registry.NewCatalogue(kinds.BuiltIn()...)}
	return New(Options{Registry: r, Log: flow.NewLog(flow.Limits{})})
}

func TestServer_route(t *testing.T) {
	s := mustServer(t)
	for _, c := range []struct {
		method, path string
		want         string // the route as a sentence, or the code of the refusal
	}{
		{"GET", "/api/v1/namespaces", "list namespaces"},
		{"GET", "/api/v1/namespaces/a", "get namespaces"},
		{"GET", "/api/v1/namespaces/a/status", "get namespaces/status"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize"},
		{"GET", "/api/v1/namespaces/a/finalize", "405"},
		{"DELETE", "/api/v1/namespaces", "405"},
		{"GET", "/api/v1/configmaps", "list configmaps"},
		{"GET", "/api/v1/configmaps/", "list configmaps"},
		{"GET", "/api/v1/configmaps/a", "404"},
		{"POST", "/api/v1/configmaps", "405"},
		{"GET", "/api/v1/namespaces/n/configmaps", "list configmaps in n"},
		{"GET", "/api/v1/namespaces/n/configmaps?watch=true", "watch configmaps in n"},
		{"GET", "/api/v1/namespaces/n/configmaps?watch=false", "list configmaps in n"},
		{"GET", "/api/v1/namespaces/n/configmaps?watch", "watch configmaps in n"},
		{"GET", "/api/v1/watch/namespaces/n/configmaps", "watch configmaps in n"},
		{"GET", "/api/v1/watch/namespaces/n/configmaps/a", "watch configmaps in n"},
		{"POST", "/api/v1/namespaces/n/configmaps", "create configmaps in n"},
		{"POST", "/api/v1/namespaces/n/configmaps/a", "405"},
		{"PUT", "/api/v1/namespaces/n/configmaps/a", "update configmaps in n"},
		{"PUT", "/api/v1/namespaces/n/configmaps", "405"},
		{"PATCH", "/api/v1/namespaces/n/configmaps/a", "patch configmaps in n"},
		{"DELETE", "/api/v1/namespaces/n/configmaps/a", "delete configmaps in n"},
		{"DELETE", "/api/v1/namespaces/n/configmaps", "deletecollection configmaps in n"},
		{"BREW", "/api/v1/namespaces/n/configmaps", "405"},
		{"GET", "/api/v1/namespaces/n/configmaps/a/status", "404"},
		{"GET", "/api/v1/namespaces/n/nodes", "404"},
		{"GET", "/api/v1/nodes/a", "get nodes"},
		{"GET", "/api/v2", "404"},
		{"GET", "/apis/apps/v1/namespaces/n/deployments/a/scale", "get deployments.apps/scale in n"},
		{"PATCH", "/apis/apps/v1/namespaces/n/deployments/a/status", "patch deployments.apps/status in n"},
		{"GET", "/apis/apps/v9/deployments", "404"},
		{"GET", "/apis/nosuch.example.com", "404"},
		{"GET", "/nosuch", "404"},
		{"GET", "/apis/apps/v9", "404"},
		{"GET", "/version/", ""},
		{"GET", "/version/x", "404"},
		{"GET", "/healthz", ""},
		{"GET", "/healthz/", "404"},
		{"GET", "/readyz/ping/", "404"},
		{"GET", "/metrics/", "404"},
		{"GET", "/openapi/v3/api/v1/", "404"},
		{"GET", "//api/v1/namespaces", "404"},
		{"GET", "/api//v1/namespaces", "404"},
		{"GET", "/api/v1/namespaces/n/configmaps/..", "400"},
		{"DELETE", "/api/v1/namespaces/n/configmaps/a%25b", "400"},
		{"PUT", "/apis/apps/v1/namespaces/n/deployments/./scale", "400"},
		{"GET", "/api/v1/watch/namespaces/n/configmaps/..", "watch configmaps in n"},
		{"GET", "/api/v1/watch/namespaces/n/pods/a/status", "404"},
		{"GET", "/api/v1/componentstatuses", "list componentstatuses"},
		{"GET", "/api/v1/componentstatuses?watch=1", "405"},
		{"GET", "/api/v1/watch/componentstatuses", "404"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		q := &Request{Request: r, Query: r.URL.Query()}
		_, err := s.route(q)
		got := q.Route.String()
		if err != nil {
			got = strconv.Itoa(int(s.statusOf(q, err).Code))
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
	}
}

// FuzzRoute: no path breaks the router.
func FuzzRoute(f *testing.F) {
	f.Add("GET", "/api/v1/namespaces/a/configmaps/b")
	f.Add("PUT", "/apis/apps/v1//")
	f.Add("GET", "/api/v1/watch")
	s := mustServer(f)
	f.Fuzz(func(t *testing.T, method, path string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.URL.Path = method, path
		q := &Request{Request: r, Query: r.URL.Query()}
		handle, err := s.route(q)
		if (handle == nil) == (err == nil) {
			t.Fatalf("%s %s: handler %v, error %v", method, path, handle != nil, err)
		}
	})
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
		if got := loopback(host); got != want {
			t.Errorf("loopback(%q) = %v", host, got)
		}
	}
}

// A page of another site cannot read, write or make the server work through a browser, which says where a request is from; a
// link to the API may be followed. Other clients say nothing.
func TestServer_foreign(t *testing.T) {
	s := mustServer(t)
	s.o.Debug = map[string]http.Handler{"/debug/x": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("seen")) })}
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
