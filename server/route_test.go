package server

import (
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

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost": true, "localhost:8080": true, "[::1]:8080": true, "127.9.9.9": true, "a.localhost:1": true,
		"example.com": false, "example.com:8080": false, "127.0.0.1.example.com": false, "": false, "10.0.0.1:8080": false, "localhost.example.com": false,
	} {
		if got := loopback(host); got != want {
			t.Errorf("loopback(%q) = %v", host, got)
		}
	}
}
