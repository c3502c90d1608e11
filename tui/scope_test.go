package tui

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/story"
)

// A collection in all namespaces, one in the namespace default and one that has no namespaces are told apart, on screens and in words.
func TestLabel_Scope(t *testing.T) {
	for _, c := range []struct {
		target      flow.Target
		label, line string
	}{
		{flow.Target{Verb: "list", Resource: "pods"}, "pods -A", "list pods in all namespaces"},
		{flow.Target{Verb: "watch", Resource: "pods", Namespace: "default"}, "pods @default", "watch pods in default"},
		{flow.Target{Verb: "list", Resource: "pods", Namespace: "shop"}, "pods @shop", "list pods in shop"},
		{flow.Target{Verb: "deletecollection", Resource: "pods", Namespace: "default"}, "pods @default", "deletecollection pods in default"},
		{flow.Target{Verb: "get", Resource: "pods", Namespace: "default", Name: "web"}, "pods/web", "get pods/web"},
		{flow.Target{Verb: "get", Resource: "pods", Namespace: "shop", Name: "web"}, "pods/web @shop", "get pods/web in shop"},
		{flow.Target{Verb: "list", Resource: "nodes"}, "nodes", "list nodes"},
		{flow.Target{Verb: "list", Resource: "namespaces"}, "namespaces", "list namespaces"},
		{flow.Target{Verb: "list", Group: "example.io", Resource: "widgets"}, "widgets", "list widgets"},
		{flow.Target{Verb: "list", Group: "example.io", Resource: "widgets", Namespace: "default"}, "widgets @default", "list widgets in default"},
	} {
		f := &flow.Flow{Target: c.target, Status: 200}
		if got := label.Target(f) + label.Extra(f); got != c.label {
			t.Errorf("%+v is called %q, want %q", c.target, got, c.label)
		}
		if got := story.Line(f); !strings.Contains(got, " "+c.line) {
			t.Errorf("%+v is told %q, want %q", c.target, got, c.line)
		}
	}
}

// The page of watches and the list of requests tell the scope of a watch alike.
func TestLabel_ScopeOnPages(t *testing.T) {
	d := newDemo(flow.Limits{})
	for _, ns := range []string{"", "default"} {
		f := d.request("k1", "watch", "pods", "", 200, 1)
		f.Target.Group, f.Target.Namespace, f.Phase = "", ns, flow.WatchOpened
		f.Watch = d.log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Opened: d.at})
		d.log.Publish(f)
	}
	u, _ := testUI(d, "mono", 120, 36)
	mustSee(t, u, "pods -A", "pods @default")
	u.keys("2")
	mustSee(t, u, "pods -A", "pods @default")
}

// closeWatch ends the watch that a request opened.
func (d *demo) closeWatch(opened *flow.Flow, cause string) *flow.Flow {
	opened.Watch.Close(d.at, cause)
	f := d.request(opened.Client.Tag, "watch", opened.Target.Resource, "", 200, 1)
	f.Start, f.Watch = opened.Start, opened.Watch
	f.Phase = flow.WatchClosed
	d.log.Publish(f)
	return f
}

// A watch that has ended has one row, wherever the end comes from: as it happens, or out of the log for a filter. What was selected by
// its opening is that row.
func TestTraffic_EndedWatchIsOneRow(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("k1", "watch", "pods", "", 200, 1)
	f.Phase = flow.WatchOpened
	f.Watch = d.log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Opened: d.at})
	d.log.Publish(f)
	d.log.Publish(d.request("k1", "get", "deployments", "web", 200, 1))
	u, _ := testUI(d, "mono", 120, 36)
	mustSee(t, u, "2 requests shown", "◉ 0")
	u.keys("k")
	closed := d.closeWatch(f, "client went away")
	u.fold()
	mustSee(t, u, "2 requests shown", "○ 0")
	mustNotSee(t, u, "◉ 0")
	if u.Sel != closed || strings.Count(u.screenText(), "  watch ") != 1 {
		t.Errorf("the end is not selected in the place of the opening:\n%s", u.screenText())
	}
	u.applyFilter("verb:watch")
	mustSee(t, u, "ok · 1 of 2 requests shown")
	u.applyFilter("")
	mustSee(t, u, "2 requests shown")
	u.keys("G")
	u.Jump(f)
	if u.Sel != closed {
		t.Errorf("the opening is not found: %q", u.Toast.Text)
	}
}
