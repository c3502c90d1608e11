package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/page"
)

// kubectl publishes what a run of kubectl sends: /version without a session, further discovery, then its requests.
func (d *demo) kubectl(run int, command string, discovery []string, requests ...*flow.Flow) {
	sends := func(f *flow.Flow, session string) {
		f.Client.Tag, f.Client.Remote = fmt.Sprint("k", run), fmt.Sprint("127.0.0.1:", 52000+run)
		f.Client.Session, f.Client.Command = session, command
		if session == "" {
			f.Client.UserAgent, f.Client.Command = "kubectl-dispatcher/v1.0", ""
		}
		d.at = d.at.Add(time.Millisecond)
		f.Start = d.at
		d.log.Publish(f)
	}
	for i, path := range append([]string{"/version"}, discovery...) {
		f := d.request("", "get", "", "", 200, 0.4)
		f.Path, f.Target, f.Revision = path, flow.Target{Verb: "get"}, 0
		sends(f, []string{"", "session-" + command}[min(i, 1)])
	}
	for _, f := range requests {
		sends(f, "session-"+command)
	}
}

// kubectlRuns are a get with its discovery, and an apply that creates.
func (d *demo) kubectlRuns() {
	d.kubectl(3, "kubectl get", []string{"/api", "/apis"}, d.request("", "list", "deployments", "", 200, 1))
	d.kubectl(4, "kubectl apply", []string{"/openapi/v3"}, d.request("", "get", "deployments", "shop", 404, 0.3),
		d.request("", "create", "deployments", "shop", 201, 2))
}

// What kubectl asks to discover the API is folded into its run. A run of one other request is that request's row; a run
// of several is one row, whose verdict is not the 404 by which kubectl apply learns that it has to create.
func TestUI_KubectlDiscovery(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.kubectlRuns()
	u, _ := testUI(d, "mono", 100, 30)
	s := u.screenText()
	if n := len(u.traffic().Rows); n != 2 || !strings.Contains(s, "deployments @default +3 discovery") ||
		!strings.Contains(s, "kubectl apply · 2 requests +2 discovery") || strings.Contains(s, "404!") {
		t.Fatalf("%d rows:\n%s", n, s)
	}
	if u.Sel.Target.Verb != "create" {
		t.Errorf("#%d is selected with the run", u.Sel.Seq)
	}
	u.keys("k")
	if u.Sel.Target.Verb != "list" {
		t.Errorf("#%d is selected with the run of one request", u.Sel.Seq)
	}
	u.keys("enter")
	if u.At != 1 || len(u.traffic().Rows) != 2 {
		t.Errorf("enter on a request with its discovery: pane %d, %d rows", u.At, len(u.traffic().Rows))
	}
	u.keys("esc", "right")
	if n := len(u.traffic().Rows); n != 5 || u.Sel.Target.Verb != "list" || u.At != 0 {
		t.Errorf("→: %d rows, #%d", n, u.Sel.Seq)
	}
	u.keys("k", "left")
	if n := len(u.traffic().Rows); n != 2 || u.Sel.Target.Verb != "list" {
		t.Errorf("←: %d rows, #%d", n, u.Sel.Seq)
	}
	u.traffic().JumpTo(d.log.Get(1))
	if n := len(u.traffic().Rows); n != 5 || u.Sel.Path != "/version" {
		t.Errorf("a jump to a folded request: %d rows, %s", n, u.Sel.Path)
	}
	u.keys("v", "g")
	if n := len(u.traffic().Rows); n != 8 {
		t.Errorf("not grouped: %d rows", n)
	}
	u.keys(append([]string{"/"}, append(strings.Split("run:last", ""), "enter")...)...)
	if n := len(u.traffic().Rows); n != 3 {
		t.Errorf("run:last: %d rows", n)
	}
}

// A lesson finds a request that is folded into a run, and opens the run.
func TestUI_LessonOpensRun(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.kubectlRuns()
	u, _ := testUI(d, "mono", 120, 36)
	f := d.log.Get(8)
	if !u.traffic().Seek(page.Sought{Flow: f}) || u.Sel != f || len(u.traffic().Rows) != 5 {
		t.Errorf("#%d, %d rows", u.Sel.Seq, len(u.traffic().Rows))
	}
}
