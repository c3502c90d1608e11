package tui

import (
	"regexp"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/tui/learn"
	"kubarium/tui/page"
)

// A pod's worth of fields before the one that is meant: at 80x24 it is far below the pane.
const longObject = `{"apiVersion":"v1",` +
	`"data":{"a":"1","b":"2","c":"3","d":"4","e":"5","f":"6","g":"7","h":"8","i":"9","j":"10"},` +
	`"metadata":{"name":"web","resourceVersion":"4171"}}`

// points tells a step of the page traffic with a place, whose answer is longObject.
func points(d *demo, tab string, at *scenarios.At) (*ui, *staged) {
	u, p, _ := stagedUI(d, 80, 24)
	f := d.request("A", "update", "deployments", "web", 200, 1)
	f.RequestBody, f.ResponseBody, f.Revision = flow.Keep([]byte(longObject)), flow.Keep([]byte(longObject)), 4171
	c := flow.Commit{Revision: 4171, Type: flow.Updated, Resource: "deployments.apps", Name: "web", At: d.at}
	f.Effects = []flow.Effect{{
		Commit: c,
		Before: []byte(strings.ReplaceAll(longObject, `"10"`, `"11"`)), After: []byte(longObject),
	}}
	step := shows("traffic", "detail", tab, "one/1")
	step.Show.Resource, step.At = "", at
	d.marked(f, "one/1")
	p.tell(learn.Paused, step)
	u.fold()
	return u, p
}

// reversedLine begins a text that is both reversed and underlined, as what is pointed at.
var reversedLine = regexp.MustCompile(`\x1b\[([0-9]+;)*(4;7|7;4)m`)

// pointedAt is the line with the sign of a place, without the cursor's lists.
func pointedAt(u *ui) string {
	for _, l := range strings.Split(u.screenText(), "\n") {
		if before, text, ok := strings.Cut(l, "▸"); ok && strings.TrimSpace(before) == "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// The place of a step is scrolled to and marked, whatever it is: also a field that is missing, whose parent says so.
func TestUI_PointAtPlace(t *testing.T) {
	for _, c := range []struct {
		tab  string
		at   scenarios.At
		want string
	}{
		{"response", scenarios.At{Path: "metadata.resourceVersion"}, `"resourceVersion": "4171"`},
		{"request", scenarios.At{Path: "data.j"}, `"j": "10"`},
		{"request", scenarios.At{Path: "data.h"}, `"h": "8"`}, // which is on the pane's last row before it scrolls
		{"response", scenarios.At{Path: "metadata.uid"}, `"metadata": {  no uid`},
		{"effects", scenarios.At{Path: "data.j"}, `+     "j": "10"`},
		{"request", scenarios.At{Header: scenarios.MarkHeader}, scenarios.MarkHeader + " one/1"},
		{"response", scenarios.At{Header: "Warning"}, "no Warning"},
		{"response", scenarios.At{Row: `"name"`}, `"name": "web"`},
	} {
		u, _ := points(newDemo(flow.Limits{}), c.tab, &c.at)
		got := pointedAt(u)
		seen := u.Point.Seen && reversedLine.MatchString(u.view()) && !strings.Contains(got, "more ▼")
		if !strings.HasPrefix(got, c.want) || !seen {
			t.Errorf("%+v of %s is at %q, want %q:\n%s", c.at, c.tab, got, c.want, u.screenText())
		}
	}
}

// The line of a watch is marked on its page, though the lesson's step is another request.
func TestUI_PointAtLane(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, p, _ := stagedUI(d, 80, 24)
	step := shows("watches", "list", "", "one/1")
	step.Show.Resource, step.At = "pods", &scenarios.At{Lane: "w"}
	d.marked(d.request("A", "get", "deployments", "web", 200, 1), "one/1")
	p.tell(learn.Paused, step)
	u.fold()
	if got := pointedAt(u); u.Front != page.Watches || !strings.HasPrefix(got, "k1") || !u.Point.Seen {
		t.Errorf("marked is %q:\n%s", got, u.screenText())
	}
}

// The version that is pointed at is underlined in the row of another request and in the next PUT's body; a seq number
// with the same digits is not.
func TestUI_PointSameVersion(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.log.Publish(d.request("A", "get", "deployments", "web", 200, 1))
	u, p := points(d, "response", &scenarios.At{Path: "metadata.resourceVersion"})
	u.view()
	if u.Point.Value != "4171" {
		t.Fatalf("the value is %q", u.Point.Value)
	}
	same := "\x1b[4m4171\x1b[0m"
	next := d.request("A", "update", "deployments", "web", 409, 1)
	next.RequestBody, next.SentRevision = flow.Keep([]byte(longObject)), 4171
	d.marked(next, "one/2")
	step := shows("traffic", "detail", "request", "one/2")
	step.Show.Resource, step.At = "", &scenarios.At{Path: "metadata.resourceVersion"}
	u.resize(160, 48)
	p.tell(learn.Paused, step)
	u.fold()
	u.view()
	mustSee(t, u, `▸   "resourceVersion": "4171"`)
	if n := strings.Count(boldToo(u.view()), same); n == 0 {
		t.Errorf("no other 4171 is marked:\n%q", u.view())
	}
	u.Point.Value, u.Point.Path = "2", "metadata.resourceVersion" // the seq number of the first row
	u.Dirty = true
	if strings.Contains(boldToo(u.view()), "\x1b[4m2\x1b[0m") {
		t.Errorf("a seq number is marked:\n%q", u.view())
	}
}

// boldToo leaves the bold of underlined text away.
func boldToo(s string) string {
	return strings.NewReplacer("\x1b[1;4m", "\x1b[4m", "\x1b[4;1m", "\x1b[4m").Replace(s)
}

// A reader who scrolls away is not pulled back, and there is no mark after the reader went elsewhere.
func TestUI_PointLetsGo(t *testing.T) {
	u, _ := points(newDemo(flow.Limits{}), "response", &scenarios.At{Path: "data.b"})
	if !strings.Contains(pointedAt(u), `"b": "2"`) {
		t.Fatalf("not marked:\n%s", u.screenText())
	}
	u.keys("G")
	bottom := u.traffic().Inspector.Top
	u.fold()
	u.Dirty = true
	if u.screenText(); bottom == 0 || u.traffic().Inspector.Top != bottom {
		t.Errorf("pulled back from line %d to %d:\n%s", bottom, u.traffic().Inspector.Top, u.screenText())
	}
	u.keys("2")
	u.fold()
	if got := pointedAt(u); u.Front != page.Watches || u.Point != nil || got != "" {
		t.Errorf("still marked: %q:\n%s", got, u.screenText())
	}
}
