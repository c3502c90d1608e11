package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

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
