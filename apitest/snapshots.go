package apitest

import (
	"net/http"

	"k8s.io/client-go/rest"
)

// Snapshot keeps the present state of the server under a name of lower-case letters, digits and "-".
func (s *Server) Snapshot(name string) {
	s.t.Helper()
	s.ask(http.MethodPost, "/debug/snapshots", nil, map[string]any{"name": name}, nil)
}

// Restore restores all objects of a snapshot. Watches end as after a compaction, and informers recover;
// resourceVersions continue above all others.
func (s *Server) Restore(name string) {
	s.t.Helper()
	s.ask(http.MethodPost, "/debug/restore", nil, map[string]any{"snapshot": name}, nil)
}

// Reset restores the state after Start.
func (s *Server) Reset() {
	s.t.Helper()
	s.Restore("")
}

// Fork starts a second server with the state of a snapshot of this one, or with "" its present state: the same objects,
// uids and resourceVersions. Then the two are independent. It has the same users and its own record, and ends with the
// test.
func (s *Server) Fork(snapshot string) *Server {
	s.t.Helper()
	var made struct {
		URL    string
		Secure string
	}
	s.ask(http.MethodPost, "/debug/fork", nil, map[string]any{"snapshot": snapshot}, &made)
	fork := *s
	fork.URL = made.URL
	fork.Config = rest.CopyConfig(s.Config)
	fork.Config.Host = made.Secure
	return &fork
}
