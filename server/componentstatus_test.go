package server

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

// Components can be got and listed, and nothing else.
func TestServer_componentVerb(t *testing.T) {
	s := mustServer(t)
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/api/v1/componentstatuses", "list componentstatuses"},
		{"GET", "/api/v1/componentstatuses/etcd-0", "get componentstatuses"},
		{"GET", "/api/v1/componentstatuses?watch=true", "405"},
		{"POST", "/api/v1/componentstatuses", "405"},
		{"GET", "/api/v1/componentstatuses/etcd-0/status", "404"},
		{"GET", "/api/v1/namespaces/a/componentstatuses", "404"},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		q := &Request{Request: r, Query: r.URL.Query()}
		_, err := s.route(q)
		got := q.Route.String()
		if err != nil {
			got = strconv.Itoa(int(s.statusOf(q, err).Code))
		}
		if got != c.want {
			t.Errorf("%s %s: %s, %v; want %s", c.method, c.path, got, err, c.want)
		}
	}
}

// A probe tells what a component says, and why it could not.
func TestServer_probe(t *testing.T) {
	healthy := true
	component := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !healthy {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = w.Write([]byte("ok\n"))
	}))
	if got, err := probe(t.Context(), component.URL); got != "ok" || err != nil {
		t.Errorf("healthy: %q, %v", got, err)
	}
	healthy = false
	if _, err := probe(t.Context(), component.URL); err == nil || err.Error() != "HTTP probe failed with statuscode: 500" {
		t.Errorf("unhealthy: %v", err)
	}
	component.Close()
	if _, err := probe(t.Context(), component.URL); err == nil {
		t.Error("nobody is there, and it answers")
	}
}
