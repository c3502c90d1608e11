package tui

import (
	"testing"

	"kubarium/flow"
)

// enter on the tab SQL shows how SQLite runs each statement; each is asked for once, whatever request it ran for.
func TestInspector_Plans(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.write("A", "update", flow.Updated, "web", 2)
	d.write("A", "update", flow.Updated, "web", 3)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("enter", "enter")
	mustSee(t, u, "the server called no other server for this request; on the tab SQL")
	u.keys("]", "]", "]", "]", "enter")
	mustSee(t, u, "asking the server")
	u.settle()
	mustSee(t, u, "plan SEARCH objects USING INDEX", "SCAN store (every row)")
	u.keys("esc", "k", "enter")
	u.settle()
	mustSee(t, u, "plan SEARCH objects USING INDEX")
	if n := len(u.API.Transport.(*fakeAPI).asked); n != 1 {
		t.Errorf("the plan was asked for %d times", n)
	}
	u.keys("enter")
	mustSee(t, u, "enter shows how SQLite runs them")
}

// What is no statement has a refusal in its place.
func TestInspector_PlanRefused(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("A", "get", "deployments", "web", 200, 1)
	f.Statements = []flow.Statement{{SQL: "SELEC"}}
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("enter", "]", "]", "]", "]", "enter")
	u.settle()
	mustSee(t, u, "plan ✗ 404")
}
