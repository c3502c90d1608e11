package apitest

import (
	"net/http"

	"k8s.io/client-go/rest"
)

// Snapshot keeps the state of the server as it is, under a name of lower-case letters, digits and "-".
func (s *Server) Snapshot(name string) {
	s.t.Helper()
	s.ask(http.MethodPost, "/debug/snapshots", nil, map[string]any{"name": name}, nil)
}

// Restore makes all objects what they were at a snapshot. Watches end as after a compaction, and informers recover;
// resourceVersions go on above all others.
func (s *Server) Restore(name string) {
	s.t.Helper()
	s.ask(http.MethodPost, "/debug/restore", nil, map[string]any{"snapshot": name}, nil)
}

// Reset is Restore to what stood when Start returned.
func (s *Server) Reset() {
	s.t.Helper()
	s.Restore("")
}

// Fork starts a second server with the state of a snapshot of this one, or with "" as it is now: the same objects, uids and
// resourceVersions. From then on both go their own ways. It has the same users, a record of its own, and ends with the test.
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
