package story_test

import (
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/story"
)

// A chain is one sentence, which says what is known by time alone, and names all events that may be the reason.
func TestTellChain(t *testing.T) {
	agent := "kube-controller-manager/v1 (l/a) kubernetes/1/replicaset-controller"
	f := &flow.Flow{Client: flow.Client{Tag: "kub16", UserAgent: agent}}
	seen := flow.ChainEvent{
		Link: "owner", Resource: "deployments.apps", Name: "web", Type: "MODIFIED", Revision: 226,
		Before: 3 * time.Millisecond, By: 118, ByTag: "k1",
	}
	guess := flow.ChainEvent{
		Link: "time", Resource: "nodes", Name: "n", Type: "ADDED", Revision: 7, Before: -time.Microsecond,
	}
	for name, c := range map[string]struct {
		chain *flow.Chain
		want  string
	}{
		"nothing": {nil, ""}, "empty": {&flow.Chain{}, ""},
		"an event": {&flow.Chain{Events: []flow.ChainEvent{seen}},
			"replicaset-controller, 3 ms after its watch saw deployments/web at 226 (MODIFIED, #118 by k1)."},
		"two and more": {&flow.Chain{Events: []flow.ChainEvent{seen, seen}, More: 2, Retry: 9},
			"replicaset-controller, 3 ms after its watch saw deployments/web at 226 (MODIFIED, #118 by k1), or 3 ms after " +
				"deployments/web at 226 (MODIFIED, #118 by k1), or one of 2 more events; again after #9 was refused."},
		"by time": {&flow.Chain{Events: []flow.ChainEvent{guess}, Idle: 2 * time.Second, Last: 5},
			"replicaset-controller, 2.0 s after its own write of the object (#5), with no event about it in between; " +
				"as its watch saw nodes/n at 7 (ADDED), known by time alone."},
		"a read": {&flow.Chain{Reads: []flow.ChainRead{{Verb: "get", Resource: "pods", Name: "p", Revision: 4, Seq: 8,
			Before: 90 * time.Second}}}, "replicaset-controller, 1m30s after its get of pods/p at 4 (#8)."},
	} {
		if got := story.TellChain(f, c.chain); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}
