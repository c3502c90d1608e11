package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/tui/learn"
)

// What a lesson points at is shown whole: a value that is longer than its pane, a text in a block that is folded
// otherwise, and a changed line that is cut.
func TestUI_PointWhole(t *testing.T) {
	long := strings.Repeat("a long value ", 8) + "to its end"
	rest := strings.Repeat(`"x",`, 30) + `"reached"`
	object := `{"kind":"Deployment","note":"` + long + `","status":{"rules":[{"names":[` + rest + `]}]}}`
	for name, c := range map[string]struct {
		tab  string
		at   scenarios.At
		want []string
	}{
		"value":  {"response", scenarios.At{Path: "note"}, []string{`▸ "note": "a long`, "to its end"}},
		"folded": {"response", scenarios.At{Row: `"reached"`}, []string{`▸         "reached"`}},
		"change": {"effects", scenarios.At{Path: "note"}, []string{`▸+   "note": "a long`}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDemo(flow.Limits{})
			u, p, _ := stagedUI(d, 80, 24)
			f := d.request("A", "update", "deployments", "web", 200, 1)
			f.ResponseBody = flow.Keep([]byte(object))
			f.Effects = []flow.Effect{{Commit: flow.Commit{Revision: 7, Type: flow.Updated, Resource: "deployments.apps",
				Namespace: "default", Name: "web"}, Before: []byte(`{"kind":"Deployment"}`), After: []byte(object)}}
			d.marked(f, "one/1")
			step := shows("traffic", "detail", c.tab, "one/1")
			step.At = &c.at
			p.tell(learn.Paused, step)
			u.fold()
			mustSee(t, u, c.want...)
		})
	}
}
