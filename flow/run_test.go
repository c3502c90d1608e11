package flow_test

import (
	"testing"

	"kubarium/flow"
)

// kubectl's first /version, which names no session, gets the tag of its run; the port's next process gets its own.
func TestTag_kubectlConnections(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	for i, c := range []struct{ agent, session, remote, want string }{
		{"kubectl-dispatcher/v1.0", "", "127.0.0.1:5001", "k1"},
		{"kubectl/v1.32", "s1", "127.0.0.1:5001", "k1"},
		{"kubectl/v1.32", "s1", "127.0.0.1:5002", "k1"}, // its second connection
		{"kubectl-dispatcher/v1.0", "", "127.0.0.1:5003", "k2"},
		{"kubectl-dispatcher/v1.0", "", "127.0.0.1:5001", "k3"}, // the port again
		{"kubectl/v1.32", "s2", "127.0.0.1:5003", "k2"},
		{"kubectl/v1.32", "s3", "127.0.0.1:5001", "k3"},
		{"kubectl/v1.32", "s1", "127.0.0.1:5001", "k1"},
		{"kubectl/v1.32", "", "127.0.0.1:5004", "k4"}, // without headers of commands
		{"kubectl/v1.32", "", "127.0.0.1:5004", "k4"},
		{"manager/v0", "", "127.0.0.1:5005", "man1"},
		{"manager/v0", "", "127.0.0.1:5006", "man1"},
	} {
		if got := l.Tag(flow.Client{UserAgent: c.agent, Session: c.session, Remote: c.remote}); got != c.want {
			t.Errorf("%d, %s %q on %s: %s, want %s", i, c.agent, c.session, c.remote, got, c.want)
		}
	}
}

// The program of a command that Kubarium runs is not the same program started by hand, although both have one name.
func TestTag_via(t *testing.T) {
	l := flow.NewLog(flow.Limits{})
	byHand := flow.Client{UserAgent: "manager/v0", Remote: "127.0.0.1:5001"}
	command := byHand
	command.Via = flow.ViaRun
	if a, b, again := l.Tag(byHand), l.Tag(command), l.Tag(command); a != "man1" || b != "man2" || again != b {
		t.Errorf("by hand %s, by the command %s, then %s", a, b, again)
	}
	if byHand.Program() == command.Program() {
		t.Errorf("both are the program %s", command.Program())
	}
}

// Discovery is what clients ask to find out what is served, unless it fails.
func TestFlow_Discovery(t *testing.T) {
	for path, want := range map[string]bool{
		"/version": true, "/api": true, "/apis": true, "/apis/apps/v1": true, "/api/v1": true, "/openapi/v3": true,
		"/openapi/v2": true, "/apis/metrics.example.com/v1": true, "/metrics": false, "/apiserver": false, "/": false,
	} {
		f := flow.Flow{Method: "GET", Path: path, Status: 200}
		if got := f.Discovery(); got != want {
			t.Errorf("%s: %v", path, got)
		}
		f.Status = 503
		if f.Discovery() {
			t.Errorf("%s failed, and counts as discovery", path)
		}
	}
	f := flow.Flow{Method: "GET", Path: "/api/v1/pods", Status: 200, Target: flow.Target{Resource: "pods"}}
	if f.Discovery() {
		t.Error("a list is not discovery")
	}
}
