package inspect

import (
	"slices"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/term"
)

// Audit annotations are shown with the story, long ones wrapped, except the authorizer's, whose decision has a station.
func TestAnnotations(t *testing.T) {
	p := &term.Column{W: 50}
	annotations(p, &flow.Flow{Annotations: map[string]string{
		"pod-security.kubernetes.io/enforce-policy": "baseline:latest", "authorization.k8s.io/decision": "allow",
		"a": "one two three four five six seven eight nine ten",
	}})
	var got []string
	for _, l := range p.Lines {
		got = append(got, strings.TrimRight(l.String(), " "))
	}
	want := []string{
		"annotated     a",
		"              one two three four five six seven",
		"              eight nine ten",
		"annotated     pod-security.kubernetes.io/enforce-",
		"              policy",
		"              baseline:latest",
		"",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
