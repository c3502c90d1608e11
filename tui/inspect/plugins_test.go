package inspect

import (
	"slices"
	"strings"
	"testing"

	"kubarium/server/flow"
	"kubarium/tui/term"
)

// A plugin that changed or refused something has a line of its own; one that let the object pass has none.
func TestPluginLine(t *testing.T) {
	for _, c := range []struct {
		mark flow.PluginMark
		want string
	}{
		{flow.PluginMark{Plugin: "RuntimeClass"}, ""},
		{flow.PluginMark{Plugin: "Priority", Changed: []string{"spec.preemptionPolicy", "spec.priority"}}, "  Priority  changed spec.preemptionPolicy, spec.priority"},
		{flow.PluginMark{Plugin: "ResourceQuota", Refusal: "exceeded quota: q"}, "  ✗ ResourceQuota  exceeded quota: q"},
	} {
		var got strings.Builder
		for _, l := range pluginLine(c.mark, 80) {
			got.WriteString(l.String())
		}
		if strings.TrimRight(got.String(), " ") != c.want {
			t.Errorf("%s: %q, want %q", c.mark.Plugin, got.String(), c.want)
		}
	}
}

// What guards say of a request is told with its story, long texts over several lines; the authorizer's decision has a station.
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
