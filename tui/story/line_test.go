package story_test

import (
	"testing"

	"kubarium/flow"
	"kubarium/tui/story"
)

// A patch that the server tried again and stored is not called stale: its answer is a 200.
func TestLine_TriedAgain(t *testing.T) {
	f := &flow.Flow{Client: flow.Client{Tag: "bus1"}, Status: 200, Revision: 10961, Target: flow.Target{Verb: "patch", Resource: "pods", Name: "web", Namespace: "default"},
		Conflict: &flow.Conflict{Kind: flow.StaleRevision, Sent: 10959, Stored: 10960}}
	want := "200 OK: bus1 patch pods/web, rv 10961, tried again by the server when rv 10960 had been written"
	if got := story.Line(f); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
