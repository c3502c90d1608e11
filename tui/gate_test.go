package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/rule"
	"kubarium/tui/gates"
)

// gated publishes requests that rules touched, and lets others be held.
func (d *demo) gated() {
	d.touch()
	client := flow.Client{Tag: "B", UserAgent: "kubectl/v1.37.0"}
	target := flow.Target{Verb: "update", Group: "apps", Version: "v1", Resource: "deployments", Namespace: "default", Name: "web"}
	d.gate = &rule.State{
		Seed: 42, Touched: 5,
		Rules: []rule.Active{
			{ID: 1, Line: `hold for 34s before "rv check" name door on verb:update res:deployments`, Name: "door", Seen: 7, Hits: 3},
			{ID: 2, Line: `refuse 429 retry-after 3s once on verb:list`, Seen: 12, Hits: 1, Spent: true},
			{ID: 3, Line: `hold before frame on res:pods`, Seen: 2, Hits: 1},
		},
		Held: []rule.Held{
			{ID: 4, Rule: 1, Station: "rv check", Since: noon.Add(-8200 * time.Millisecond), Until: noon.Add(25800 * time.Millisecond), Left: 26 * time.Second, Client: client,
				Start: noon.Add(-8203 * time.Millisecond), Method: "PUT", Path: "/apis/apps/v1/namespaces/default/deployments/web", Target: target,
				Sent: 4171, Stored: 4176, Edits: "body", Media: "application/json", Size: 214},
			{ID: 5, Rule: 3, Station: "frame", Since: noon.Add(-400 * time.Millisecond), Client: flow.Client{Tag: "k1", UserAgent: "kubectl/v1.37.0"},
				Start: noon.Add(-9 * time.Second), Method: "GET", Path: "/api/v1/pods", Target: flow.Target{Verb: "watch", Version: "v1", Resource: "pods", Namespace: "default", Name: "db-0"},
				Watch: 1, Frame: &flow.Frame{Number: 813, Type: "MODIFIED", Revision: 4180, Namespace: "default", Name: "db-0"}},
		},
	}
}

// touch publishes a request that stood at the gate while another one wrote, one that was refused, and a watch that was not told all.
func (d *demo) touch() {
	pods := d.watch("inf", "deployments", d.rv)
	d.write("A", "create", flow.Created, "web", 1)
	held := d.request("B", "update", "deployments", "web", 409, 8201)
	made := d.write("A", "update", flow.Updated, "web", 5)
	held.Conflict = &flow.Conflict{Kind: flow.StaleRevision, Sent: d.rv - 1, Stored: made.Revision}
	held.SentRevision, held.Revision, held.Reason = d.rv-1, 0, "Conflict"
	held.Stations = []flow.Station{{Name: "decode", Length: time.Millisecond}, {Name: "rv check", Start: 8200 * time.Millisecond, Length: 50 * time.Microsecond, Failed: true, Note: "4171≠4172"}}
	held.Faults = []flow.FaultMark{{Rule: `hold before "rv check" name door`, Name: "door", Action: "hold", Station: "rv check", At: time.Millisecond, Waited: 8199 * time.Millisecond, Outcome: "let go"}}
	d.log.Publish(held)
	list := d.request("k1", "list", "pods", "", 429, 0.2)
	list.Reason, list.Message = "TooManyRequests", "please try again later"
	list.ResponseHeader.Set("Retry-After", "3")
	list.Faults = []flow.FaultMark{{Rule: "refuse 429 retry-after 3s once on verb:list", Action: "refuse", Station: "negotiate", At: 100 * time.Microsecond, Outcome: "refused 429"}}
	d.log.Publish(list)
	pods.Touched(flow.FaultMark{Rule: "coalesce 500ms", Action: "coalesce", Station: "frame", At: 2 * time.Second, Outcome: "never told, but what came behind it", Seen: made.Revision - 1, Object: "default/web"})
	pods.Touched(flow.FaultMark{Rule: "delay 200ms before frame", Action: "delay", Station: "frame", At: 3 * time.Second, Waited: 200 * time.Millisecond, Outcome: "delayed", Seen: made.Revision, Object: "default/web"})
	pods.Wrote(flow.Frame{Type: "MODIFIED", Revision: made.Revision, Namespace: "default", Name: "web", Size: 611, Committed: d.at, Written: d.at.Add(203 * time.Millisecond)})
	pods.Reached(made.Revision, 0)
}

func init() {
	gated := func(d *demo) { d.gated() }
	pageViews = append(pageViews,
		pageView{"gate", gated, []string{"9"}},
		pageView{"gate-frame", gated, []string{"9", "j"}},
		pageView{"gate-rule", gated, []string{"9", "j", "j"}},
		pageView{"gate-touched", gated, []string{"9", "G"}},
		pageView{"gate-details", gated, []string{"9", "tab"}},
		pageView{"gate-add", gated, []string{"9", "a"}},
		pageView{"gate-adding", gated, append([]string{"9", "a"}, strings.Split("hold for 3s on verb:update", "")...)},
		pageView{"gate-wrong", gated, append([]string{"9", "a"}, strings.Split("holt on x", "")...)},
		pageView{"gate-refuse", gated, []string{"9", "x"}},
		pageView{"gate-drop", gated, []string{"9", "D"}},
		pageView{"gate-remove", gated, []string{"9", "j", "j", "-"}},
		pageView{"gate-copy", gated, []string{"9", "y"}},
		pageView{"gate-empty", func(*demo) {}, []string{"9"}},
		pageView{"gate-strip", gated, []string{"1"}},
		pageView{"gate-story", gated, []string{"1", "g", "j", "j", "j", "enter"}},
		pageView{"gate-watches", gated, []string{"2", "enter"}},
	)
}

// A huge screen shows the gate in two panes, and without glyphs it is told in ASCII.
func TestGate_Golden(t *testing.T) {
	for _, v := range pageViews {
		if !strings.HasPrefix(v.name, "gate") {
			continue
		}
		name := v.name + "-200x60-mono"
		t.Run(name, func(t *testing.T) { compareGolden(t, name, v.draw("mono", 200, 60)) })
	}
	for _, page := range []string{"9", "1"} {
		d := newDemo(flow.Limits{})
		d.gated()
		u, _ := testUI(d, "mono", 120, 36)
		u.o.ASCII = true
		u.keys(page)
		compareGolden(t, fmt.Sprintf("gate-ascii-%s-120x36-mono", page), u.view()+"\n")
	}
}

// What will happen is told as far as it is known.
func TestOutlook(t *testing.T) {
	for want, h := range map[string]rule.Held{
		"sent rv 4171, stored 4176: will be refused": {Target: flow.Target{Verb: "update"}, Sent: 4171, Stored: 4176},
		"sent rv 7, and that is stored":               {Target: flow.Target{Verb: "patch"}, Sent: 7, Stored: 7},
		"names no version: will replace rv 9":         {Target: flow.Target{Verb: "update"}, Stored: 9},
		"stored already, rv 9: will be refused":       {Target: flow.Target{Verb: "create"}, Stored: 9},
		"committed rv 9, its answer is 200 OK":        {Target: flow.Target{Verb: "update"}, Committed: 9, Status: 200},
		"its answer is 404 Not Found":                 {Target: flow.Target{Verb: "get"}, Status: 404},
		"DELETED shop/web rv 8":                       {Frame: &flow.Frame{Type: "DELETED", Namespace: "shop", Name: "web", Revision: 8}},
		"":                                            {Target: flow.Target{Verb: "list"}, Sent: 3},
	} {
		if got := gates.Outlook(&h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
