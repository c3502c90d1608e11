package tui

import (
	"strings"
	"testing"

	"kubarium/server/flow"
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
