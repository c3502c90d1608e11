package doctor

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// Reads of objects that are gone are forgotten, those that go on are not.
func TestRhythms_sweep(t *testing.T) {
	var b rhythms
	get := func(name string, at time.Duration) *rhythm {
		f := &flow.Flow{Path: "/api/v1/namespaces/default/pods/" + name, Status: 200, Start: time.Unix(0, 0).Add(at)}
		f.Target.Verb, f.Target.Resource, f.Target.Name = "get", "pods", name
		return b.note(&request{Flow: f, client: &client{}, ref: object.Ref{Resource: "pods", Name: name}})
	}
	const hour = 3600
	var steady *rhythm
	for second := range time.Duration(hour) {
		get(fmt.Sprint("pod-", second), second*time.Second)
		steady = get("steady", second*time.Second)
	}
	if most := int((3 * longestPoll).Seconds()) + 2; len(b.of) > most || steady.count != hour {
		t.Errorf("%d rhythms after an hour, want %d at most; the steady one has %d reads", len(b.of), most, steady.count)
	}
}
