package lag_test

import (
	"testing"

	"kubarium/analysis/lag"
	"kubarium/flow"
)

// A watch has not been sent the commits of its scope after the revision that it has reached; where it began with all
// objects and has reached nothing, nothing is known.
func TestOwed(t *testing.T) {
	commits := []flow.Commit{
		{Revision: 5, Resource: "pods", Namespace: "a", Name: "x"},
		{Revision: 6, Resource: "pods", Namespace: "b", Name: "x"},
		{Revision: 7, Resource: "deployments.apps", Namespace: "a", Name: "x"},
		{Revision: 8, Resource: "pods", Namespace: "a", Name: "y"},
	}
	for name, c := range map[string]struct {
		target flow.Target
		start  int64
		state  flow.WatchState
		want   []int64
	}{
		"all":         {flow.Target{Resource: "pods"}, 4, flow.WatchState{}, []int64{8, 6, 5}},
		"namespace":   {flow.Target{Resource: "pods", Namespace: "a"}, 4, flow.WatchState{}, []int64{8, 5}},
		"name":        {flow.Target{Resource: "pods", Namespace: "a", Name: "y"}, 4, flow.WatchState{}, []int64{8}},
		"group":       {flow.Target{Group: "apps", Resource: "deployments"}, 4, flow.WatchState{}, []int64{7}},
		"position":    {flow.Target{Resource: "pods"}, 4, flow.WatchState{Position: 6}, []int64{8}},
		"last frame":  {flow.Target{Resource: "pods"}, 4, flow.WatchState{Last: 8}, nil},
		"not reached": {flow.Target{Resource: "pods"}, 0, flow.WatchState{}, nil},
	} {
		x := flow.ToldWatch(flow.WatchInfo{Target: c.target, Start: c.start})
		var got []int64
		lag.Owed(x, c.state, commits, func(c flow.Commit) bool {
			got = append(got, c.Revision)
			return true
		})
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
}

// A scope covers those that have no more than it.
func TestScope_Covers(t *testing.T) {
	pods, inA := lag.Scope{Resource: "pods"}, lag.Scope{Resource: "pods", Namespace: "a"}
	if !pods.Covers(inA) || inA.Covers(pods) || !inA.Covers(inA) || inA.Covers(lag.Scope{Resource: "nodes"}) {
		t.Error("a scope covers what it does not have")
	}
}
