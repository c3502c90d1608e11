package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
)

// Effects show the change itself, also where managedFields and times change more lines, until o.
func TestUI_EffectsQuiet(t *testing.T) {
	version := func(fish, manager string) []byte {
		return []byte(`{"kind":"ConfigMap","metadata":{"name":"tank","managedFields":[{"manager":"` + manager +
			`","time":"` + manager + `","fieldsV1":{` + strings.Repeat(`"f:`+manager+`":{},`, 20) + `"f:z":{}}}]},` +
			`"data":{"fish":"` + fish + `"}}`)
	}
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		d := newDemo(flow.Limits{})
		f := d.request("k1", "patch", "configmaps", "tank", 200, 1)
		f.Effects = []flow.Effect{{Commit: flow.Commit{Revision: 9, Type: flow.Updated, Resource: "configmaps", Name: "tank"},
			Before: version("4", "kubectl-create"), After: version("5", "kubectl-patch")}}
		d.log.Publish(f)
		u, _ := testUI(d, "mono", size[0], size[1])
		u.keys("enter", "[", "[")
		s := u.screenText()
		for _, want := range []string{`"fish": "4"`, `"fish": "5"`, "lines of managedFields left out", "o shows"} {
			if !strings.Contains(s, want) {
				t.Errorf("%v: no %q in\n%s", size, want, s)
			}
		}
		if strings.Contains(s, "kubectl-patch") {
			t.Errorf("%v: managedFields are shown:\n%s", size, s)
		}
		u.keys("o")
		if s := u.screenText(); !strings.Contains(s, "kubectl-patch") || strings.Contains(s, "left out ·") {
			t.Errorf("%v: o does not show them:\n%s", size, s)
		}
	}
}
