package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

const sites = "site-controller/v1.4.0 (linux/amd64) kubernetes/0f1e2d3/site"

// A controller is a client of the demo that watches deployments and writes replicasets.
type controller struct {
	d     *demo
	watch *flow.Watch
}

func (d *demo) by(who, agent string, f *flow.Flow) *flow.Flow {
	f.Client = flow.Client{Tag: who, UserAgent: agent, Remote: "127.0.0.1:52000", User: "system:serviceaccount:site:controller"}
	return f
}

// controller opens its watch after a list.
func (d *demo) controller() *controller {
	d.log.Publish(d.by("sit1", sites, d.request("sit1", "list", "deployments", "", 200, 0.8)))
	f := d.by("sit1", sites, d.request("sit1", "watch", "deployments", "", 200, 1.1))
	f.Phase = flow.WatchOpened
	f.Watch = d.log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Query: "labelSelector=app%3Dweb", Media: "application/json", Opened: d.at, Start: d.rv})
	d.log.Publish(f)
	return &controller{d, f.Watch}
}

// sees sends the newest change of an object to the watch.
func (c *controller) sees(kind, name string) {
	at := c.d.at.Add(3 * time.Millisecond)
	c.watch.Wrote(flow.Frame{Type: kind, Revision: c.d.rv, Namespace: "default", Name: name, Size: 600, Committed: c.d.at, Written: at})
	c.watch.Reached(c.d.rv, 0)
	c.d.at = at
}

const replicaset = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"%s-5d","namespace":"default","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"%[1]s","uid":"u1"}]},"spec":{"replicas":%[2]d}}`

// writes reads a replicaset and writes it, ms after the last event.
func (c *controller) writes(name string, replicas int) {
	d := c.d
	read := d.by("sit1", sites, d.request("sit1", "get", "replicasets", name+"-5d", 200, 0.4))
	d.log.Publish(read)
	f := d.by("sit1", sites, d.request("sit1", "update", "replicasets", name+"-5d", 200, 2.1))
	f.SentRevision = d.rv
	d.rv++
	f.Revision = d.rv
	at := flow.Commit{Revision: d.rv, Type: flow.Updated, Resource: "replicasets.apps", Namespace: "default", Name: name + "-5d", At: d.at}
	before, after := fmt.Sprintf(replicaset, name, replicas-1), fmt.Sprintf(replicaset, name, replicas)
	f.RequestBody = flow.Keep([]byte(after))
	f.Effects = []flow.Effect{{Commit: at, Before: []byte(before), After: []byte(after)}}
	d.log.Committed(at)
	d.log.Publish(f)
}

// refusedWrite is one that is sent with a version that is not stored any more.
func (c *controller) refusedWrite(sent int64) {
	d := c.d
	f := d.by("sit1", sites, d.request("sit1", "update", "deployments", "web", 409, 1.1))
	f.Reason, f.Message = "Conflict", `Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again`
	f.SentRevision, f.Revision = sent, 0
	f.Conflict = &flow.Conflict{Kind: flow.StaleRevision, Sent: sent, Stored: d.rv}
	d.log.Publish(f)
}

// runsWell publishes a controller that follows its watch.
func (d *demo) runsWell() {
	c := d.controller()
	for i := range 3 {
		d.write("k1", "update", flow.Updated, "web", 2+i)
		c.sees("MODIFIED", "web")
		c.writes("web", 2+i)
	}
}

// loops publishes a controller that sends the same version again and again.
func (d *demo) loops() {
	c := d.controller()
	d.write("k1", "update", flow.Updated, "web", 2)
	c.sees("MODIFIED", "web")
	sent := d.rv
	d.write("k2", "update", flow.Updated, "web", 3)
	c.sees("MODIFIED", "web")
	for range 8 {
		c.refusedWrite(sent)
	}
}

// deaf publishes a controller whose watch ended, before changes that it does not see.
func (d *demo) deaf() {
	c := d.controller()
	d.write("k1", "update", flow.Updated, "web", 2)
	c.sees("MODIFIED", "web")
	c.writes("web", 2)
	c.watch.Close(d.at.Add(time.Millisecond), "timeout")
	f := d.by("sit1", sites, d.request("sit1", "watch", "deployments", "", 200, 900))
	f.Phase, f.Watch = flow.WatchClosed, c.watch
	d.log.Publish(f)
	for i := range 3 {
		d.write("k1", "update", flow.Updated, "web", 3+i)
	}
}

// applies publishes a run of kubectl.
func (d *demo) applies() {
	for _, verb := range []string{"get", "apply"} {
		f := d.request("k1", verb, "deployments", "web", 200, 0.9)
		f.Client.Command, f.Client.Session, f.Client.User = "kubectl apply", "run-1", "system:admin"
		if verb == "apply" {
			d.rv++
			f.Revision = d.rv
			c := flow.Commit{Revision: d.rv, Type: flow.Updated, Resource: "deployments.apps", Namespace: "default", Name: "web", At: d.at}
			f.Effects = []flow.Effect{{Commit: c, Before: []byte(fmt.Sprintf(deployment, 1, 0)), After: []byte(fmt.Sprintf(deployment, 2, 0))}}
			d.log.Committed(c)
		}
		d.log.Publish(f)
	}
}

func init() {
	pageViews = append(pageViews,
		pageView{"client-well", (*demo).runsWell, []string{"i"}},
		pageView{"client-write", (*demo).runsWell, []string{"i", "tab", "j", "j"}},
		pageView{"client-conflicts", (*demo).loops, []string{"i"}},
		pageView{"client-watch-ended", (*demo).deaf, []string{"i", "]"}},
		pageView{"client-kubectl", (*demo).applies, []string{"i"}},
		pageView{"client-empty", func(*demo) {}, []string{"1", ":", "i"}},
	)
}

// The page at its sizes on a quiet screen, and in ASCII.
func TestClient_GoldenQuietASCII(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		name := fmt.Sprintf("-%dx%d-mono", size[0], size[1])
		d := newDemo(flow.Limits{})
		d.loops()
		u, _ := quietUI(d, "", size[0], size[1])
		u.keys("i")
		compareGolden(t, "client-quiet"+name, u.view()+"\n")
		d = newDemo(flow.Limits{})
		d.runsWell()
		u, _ = testUI(d, "mono", size[0], size[1])
		u.o.ASCII = true
		u.keys("i", "tab")
		compareGolden(t, "client-ascii"+name, u.view()+"\n")
	}
}

// shownClient is the tag that the title of the page has.
func (u *ui) shownClient() string {
	title, _ := u.who().Title(0)
	_, rest, _ := strings.Cut(title.String(), "client ")
	tag, _, _ := strings.Cut(rest, " ")
	return tag
}

// The first five lines of the page say why a client does not go on, at 80x24 without scrolling.
func TestClient_FirstLines(t *testing.T) {
	for name, c := range map[string]struct {
		story func(*demo)
		keys  []string
		want  []string
	}{
		"well":        {(*demo).runsWell, nil, []string{"client sit1 · 2 of 2", "site-controller/v1.4.0 site as system:serviceaccount:site:controller", "· idle: for the next event of its 1 watch"}},
		"conflicts":   {(*demo).loops, nil, []string{"client sit1", "✗ conflicts: ", "rv 4171 again and again", "rv 4172 is stored", "since 11:59:4"}},
		"ended watch": {(*demo).deaf, []string{"]"}, []string{"client sit1", "✗ watch ended: ", "no other took its place", "timeout"}},
		"kubectl":     {(*demo).applies, nil, []string{"client k1 · 1 of 1", "kubectl/v1.37.0 as system:admin · kubectl apply", "○ gone: for nothing: it ended"}},
	} {
		d := newDemo(flow.Limits{})
		c.story(d)
		u, _ := testUI(d, "mono", 80, 24)
		u.keys("i")
		u.keys(c.keys...)
		pane := u.lay.panes[0]
		u.screenText()
		first := strings.Join(strings.Split(u.screenText(), "\n")[pane.Y:pane.Y+5], "\n")
		one := strings.Join(strings.Fields(first), " ")
		for _, want := range c.want {
			if !strings.Contains(one, want) {
				t.Errorf("%s: %q is not in the first five lines:\n%s", name, want, first)
			}
		}
	}
}

// From a row of each page i shows its client, and esc goes back to that page, and to that row.
func TestClient_FromEveryPage(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	d.mistakes()
	d.finalizers(1)
	d.chunks("k1", 3)
	d.gate = &rule.State{Held: []rule.Held{{ID: 9, Station: "store", Client: flow.Client{Tag: "sit1"}, Target: flow.Target{Verb: "update", Resource: "pods", Name: "a"}}}}
	for _, c := range []struct {
		page page.ID
		keys []string
		want string // the tag; "" for any
	}{
		{page.Traffic, []string{"1", "k"}, "k1"},
		{page.Traffic, []string{"1", "k", "enter"}, "k1"},
		{page.Watches, []string{"2", "g"}, "k1"},
		{page.Watches, []string{"2", "g", "j"}, "inf"},
		{page.Watches, []string{"2", "g", "enter"}, "k1"},
		{page.Lists, []string{"3"}, "k1"},
		{page.Lists, []string{"3", "tab"}, "k1"},
		{page.Versions, []string{"4", "g"}, ""},
		{page.Conflicts, []string{"5", "g"}, "B"},
		{page.Deletes, []string{"6"}, ""},
		{page.Doctor, []string{"0"}, "c2"},
		{page.Gate, []string{"9"}, "sit1"},
	} {
		u, _ := testUI(d, "mono", 120, 36)
		u.settle()
		u.keys(c.keys...)
		u.screenText()
		before, tag := u.where(), ""
		tag, why := u.whose()
		if c.want != "" && tag != c.want || tag == "" {
			t.Errorf("%v: the client of the row is %q (%s), want %q", c.keys, tag, why, c.want)
			continue
		}
		rows := u.screenText()
		u.keys("i")
		if u.Front != page.Client || u.shownClient() != tag {
			t.Errorf("%v: i shows %q on page %d, want %q", c.keys, u.shownClient(), u.Front, tag)
		}
		u.screenText()
		u.keys("tab", "j", "esc", "esc")
		if now := u.where(); now.front != c.page || now != before {
			t.Errorf("%v: esc goes to %+v, want %+v", c.keys, now, before)
		}
		if now := u.screenText(); c.page != page.Traffic && inner(now) != inner(rows) {
			t.Errorf("%v: after esc the page is\n%s\nbefore it was\n%s", c.keys, now, rows)
		}
	}
}

// inner is a screen without its header, its tabs and its last two lines.
func inner(s string) string {
	lines := strings.Split(s, "\n")
	return strings.Join(lines[2:len(lines)-2], "\n")
}

// On Objects it is who wrote the object last, and in its history who made the chosen version.
func TestClient_FromObjects(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36, "7", "j", "j", "j")
	if tag, why := u.whose(); tag != "" || why != "there is no object under the cursor" {
		t.Errorf("of a resource: %q %q", tag, why)
	}
	u.keys("enter")
	u.settle()
	u.keys("j")
	u.settle()
	if tag, why := u.whose(); tag != "B" {
		t.Errorf("of a row: %q %q", tag, why)
	}
	u.keys("enter", "]", "]")
	u.settle()
	u.keys("j")
	u.settle()
	if tag, why := u.whose(); tag != "A" {
		t.Errorf("of a version: %q %q", tag, why)
	}
}

// On Learn it is the actor of the step.
func TestClient_FromLearn(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	p := &fakePlayer{state: toldStep, told: []learn.Telling{{Narration: "A reads."}, longest}}
	u.pages[page.Learn], u.lesson.Lessons = u.lesson, goldenLessons(p)
	u.keys("8")
	if _, why := u.whose(); why != "no step of a lesson has been played" {
		t.Error(why)
	}
	u.lesson.Open("lost-update")
	if tag, why := u.whose(); tag != "B" {
		t.Errorf("%q %q", tag, why)
	}
}

// Where a row has no client, i says why in one line, and the page stays.
func TestClient_None(t *testing.T) {
	for key, want := range map[string]string{
		"1": "there is no request under the cursor", "2": "no client is watching", "3": "there is no list under the cursor",
		"4": "there is no version under the cursor", "5": "there is no request under the cursor", "6": "nothing is being deleted",
		"7": "there is no object under the cursor", "0": "there is no finding under the cursor", "9": "there is nothing here",
	} {
		u, _ := testUI(newDemo(flow.Limits{}), "mono", 120, 36)
		u.keys(key)
		front := u.Front
		u.keys("i")
		if u.Toast.Text != "i: "+want || u.Front != front {
			t.Errorf("%s: %q on page %d, want %q", key, u.Toast.Text, u.Front, want)
		}
	}
	d := newDemo(flow.Limits{})
	c := flow.Commit{Revision: 4171, Type: flow.Updated, Resource: "pods", Namespace: "default", Name: "a", At: d.at}
	d.log.Committed(c)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("4", "i")
	if want := "i: it is not known who wrote rv 4171: that was without a request, or too long ago"; u.Toast.Text != want {
		t.Error(u.Toast.Text)
	}
	u.keys("9")
	u.Gate.Tell(rule.State{Rules: []rule.Active{{ID: 1, Line: "hold verb:update"}}})
	u.fold()
	u.keys("i")
	if u.Toast.Text != "i: a rule is no client's; choose a held or touched request" {
		t.Error(u.Toast.Text)
	}
}

// ] and [ go through all clients, the newest first, and say at the ends that there are no more.
func TestClient_Turn(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("i")
	var got []string
	for range 5 {
		title, _ := u.who().Title(0)
		got = append(got, title.String())
		u.keys("]")
	}
	want := "client k2 · 1 of 5, client B · 2 of 5, client A · 3 of 5, client inf · 4 of 5, client k1 · 5 of 5"
	if strings.Join(got, ", ") != want || u.Toast.Text != "this is the oldest client" {
		t.Errorf("%v, %q", got, u.Toast.Text)
	}
	u.keys("[", "[", "[", "[", "[")
	if u.shownClient() != "k2" || u.Toast.Text != "this is the newest client" {
		t.Errorf("%s, %q", u.shownClient(), u.Toast.Text)
	}
	f := d.request("own", "get", "deployments", "web", 200, 0.4)
	f.Client = flow.Client{Tag: "deployment", UserAgent: "kubarium-controller/deployment"}
	d.log.Publish(f)
	u.fold()
	if title, _ := u.who().Title(0); title.String() != "client k2 · 1 of 5" {
		t.Errorf("Kubarium's own client is counted: %s", title)
	}
	u.ShowOwn(true)
	if title, _ := u.who().Title(0); title.String() != "client k2 · 2 of 6" {
		t.Errorf("Kubarium's own client is not counted where it is shown: %s", title)
	}
}

// Each part of what led to a write leads on: to the request that made the event, its watch and its version, to what was
// read, and to what was written; i leads to the client that made the event, and esc back.
func TestClient_Parts(t *testing.T) {
	begin := func(down int) *ui {
		d := newDemo(flow.Limits{})
		d.runsWell()
		u, _ := testUI(d, "mono", 120, 36)
		u.keys("i", "tab")
		u.screenText()
		for range down {
			u.keys("j")
		}
		u.screenText()
		return u
	}
	u := begin(0)
	text := u.screenText()
	for _, want := range []string{"update replicasets/web-5d 4176  ◀─ deployments/web 4175 ", "─▶ saw deployments/web 4175 MODIFIED (k1 #", "its owner", "─▶ read replicasets/web-5d 4175 (#", "─▶ wrote replicasets/web-5d 4176"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%q is not on the screen:\n%s", want, text)
		}
	}
	seen := map[string]bool{}
	for down := range 12 {
		u := begin(down)
		line := cursorLine(u.screenText())
		switch {
		case strings.Contains(line, "saw deployments/web 4175"):
			seen["saw"] = true
			u.keys("w")
			if u.Front != page.Watches || u.At != 1 || !strings.Contains(u.screenText(), "frames of sit1") {
				t.Errorf("w: page %d:\n%s", u.Front, u.screenText())
			}
			u = begin(down)
			u.keys("v")
			if u.Front != page.Versions || u.Version != 4175 {
				t.Errorf("v: page %d, version %d", u.Front, u.Version)
			}
			u = begin(down)
			u.keys("enter")
			if u.Front != page.Traffic || u.Sel.Client.Tag != "k1" || u.Sel.Revision != 4175 {
				t.Errorf("enter: page %d, %+v", u.Front, u.Sel.Client)
			}
			u = begin(down)
			u.keys("i")
			if u.shownClient() != "k1" {
				t.Errorf("i: %s", u.shownClient())
			}
			u.keys("esc", "esc")
			if u.shownClient() != "sit1" && u.Front != page.Traffic {
				t.Errorf("esc: %s on page %d", u.shownClient(), u.Front)
			}
		case strings.Contains(line, "read replicasets/web-5d 4175"):
			seen["read"] = true
			u.keys("enter")
			if u.Front != page.Traffic || u.Sel.Target.Verb != "get" || u.Sel.Client.Tag != "sit1" {
				t.Errorf("read: page %d, %+v", u.Front, u.Sel.Target)
			}
		case strings.Contains(line, "wrote replicasets/web-5d 4176"):
			seen["wrote"] = true
			u.keys("enter")
			if u.Front != page.Versions || u.Version != 4176 {
				t.Errorf("wrote: page %d, version %d", u.Front, u.Version)
			}
		case strings.Contains(line, "update replicasets/web-5d 4176"):
			seen["update"] = true
			u.keys("enter")
			if u.Front != page.Traffic || u.Sel.Revision != 4176 {
				t.Errorf("update: page %d, %+v", u.Front, u.Sel)
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("only %v were there", seen)
	}
}

// cursorLine is the line with the cursor of the right pane.
func cursorLine(s string) string {
	for _, l := range strings.Split(s, "\n") {
		if _, right, ok := strings.Cut(l, "│▸"); ok {
			return right
		}
	}
	return ""
}

// An event that is known by time alone is dotted, and says so.
func TestClient_ByTime(t *testing.T) {
	d := newDemo(flow.Limits{})
	c := d.controller()
	d.write("k1", "update", flow.Updated, "other", 2)
	c.sees("MODIFIED", "other")
	d.at = d.at.Add(-130 * time.Millisecond) // within a moment
	f := d.by("sit1", sites, d.request("sit1", "update", "deployments", "unrelated", 200, 2.1))
	f.RequestBody = flow.Keep([]byte(`{"kind":"Deployment"}`))
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("i")
	text := u.screenText()
	for _, want := range []string{"◀┄ deployments/other", "┄▶ saw deployments/other", "by time"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not there:\n%s", want, text)
		}
	}
	u.o.ASCII, u.Dirty = true, true
	if text = u.screenText(); !strings.Contains(text, "<. deployments/other") || !strings.Contains(text, ".> saw deployments/other") {
		t.Errorf("in ASCII:\n%s", text)
	}
}

// While the writes have the keys, nothing moves under the cursor; the first line is the newest again after g.
func TestClient_Pinned(t *testing.T) {
	d := newDemo(flow.Limits{})
	c := d.controller()
	c.writes("web", 1)
	u, clock := testUI(d, "mono", 120, 36)
	more := func() {
		c.writes("web", 2)
		clock.at = clock.at.Add(time.Second)
		u.fold()
	}
	top := func() string {
		line := strings.Split(u.screenText(), "\n")[u.lay.panes[1].Y]
		_, right, _ := strings.Cut(line, "│")
		return right
	}
	u.keys("i")
	if more(); !strings.Contains(top(), "web-5d 4172") {
		t.Errorf("the newest write is not followed: %s", top())
	}
	u.keys("tab")
	if more(); !strings.Contains(cursorLine(u.screenText()), "web-5d 4172") {
		t.Errorf("the cursor moved:\n%s", u.screenText())
	}
	u.keys("g")
	if more(); !strings.Contains(cursorLine(u.screenText()), "web-5d 4174") {
		t.Errorf("g does not follow:\n%s", u.screenText())
	}
}

// At a moment of the past the page is of that moment.
func TestClient_Past(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.loops()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("i")
	if text := u.screenText(); !strings.Contains(text, "✗ conflicts") || !strings.Contains(text, "10 requests") {
		t.Fatalf("now:\n%s", text)
	}
	goingTo(t, u, 4171)
	if text := u.screenText(); strings.Contains(text, "✗ conflicts") || u.shownClient() != "sit1" || !strings.Contains(text, "2 requests") || !strings.Contains(text, "It has written nothing.") {
		t.Errorf("at rv 4171:\n%s", text)
	}
	u.keys("G")
	if text := u.screenText(); u.Front != page.Client || !strings.Contains(text, "✗ conflicts") {
		t.Errorf("back at now:\n%s", text)
	}
}

// Plain mode names the clients, and prints one of them: every sign has a word.
func TestClient_Plain(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.loops()
	said := func(line string) string {
		var out strings.Builder
		u := newUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", NoIntro: true, Plain: true, Now: func() time.Time { return noon }}, term.NewTheme("mono"))
		p := &plain{u: u, out: &out}
		p.fold()
		out.Reset()
		p.command(line)
		return out.String()
	}
	if s := said("client"); !strings.Contains(s, "k2, kubectl/v1.37.0: 1 request · 1 write. It waits: gone") || !strings.Contains(s, "sit1, site-controller/v1.4.0 site: 10 requests") {
		t.Error(s)
	}
	s := said("client sit1")
	for _, want := range []string{"sit1: 10 requests · 0 writes · 8 refused.", "conflicts: ", "409 after 135 ms 409", "The newest 8 of 8 writes", "409! update deployments/web"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is not printed:\n%s", want, s)
		}
	}
	if s = said("client zzz"); s != "There is no client \"zzz\". client alone names all.\n" {
		t.Error(s)
	}
	if s = said("help"); !strings.Contains(s, "client k1: who that is") {
		t.Error(s)
	}
}

// clientUI is a UI that was started for a command with some output.
func clientUI(t *testing.T, d *demo, output string, w, h int) (*ui, *Command, *clockwork, string) {
	t.Helper()
	t.Chdir(t.TempDir())
	const file = "output.log"
	if err := os.WriteFile(file, []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &clockwork{noon}
	of := &Command{Line: "go run ./cmd", Output: file, Done: func() (bool, int) { return false, 0 }, Tags: func() []string { return nil }}
	u := fullUI(Options{Log: d.log, URL: "http://127.0.0.1:8080", Command: of, Now: c.now}, term.NewTheme("mono"))
	u.resize(w, h)
	u.fold()
	u.view()
	u.settle()
	return u, of, c, file
}

// Started for a command, the UI opens on its newest client, follows the end of its output, says how it ended, and q
// asks there.
func TestClient_Command(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		d := newDemo(flow.Limits{})
		u, of, c, file := clientUI(t, d, "one\n\x1b[31mtwo\x1b[0m\n10%\r90%\r\n", size[0], size[1])
		again := func() string {
			c.at = c.at.Add(time.Second)
			u.fold()
			u.view()
			u.settle()
			return u.screenText()
		}
		text := again()
		for _, want := range []string{"waiting for the first request of `go run ./cmd`", "`go run ./cmd` runs", " one", " two", " 90%"} {
			if !strings.Contains(text, want) && (size[0] == 80 || !strings.Contains(want, "waiting")) { // there it is on two lines
				t.Errorf("%v: %q is not there:\n%s", size, want, text)
			}
		}
		name := fmt.Sprintf("client-command-waits-%dx%d-mono", size[0], size[1])
		compareGoldenIn(t, golden, name, u.view()+"\n")
		d.runsWell()
		of.Tags = func() []string { return []string{"sit1"} }
		if text = again(); u.shownClient() != "sit1" || !strings.Contains(text, "site-controller") {
			t.Errorf("%v: the client of the command is not shown:\n%s", size, text)
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(f, "panic: three")
		f.Close()
		u.keys("q")
		if u.Over == nil {
			t.Errorf("%v: q does not ask", size)
		}
		u.keys("esc", "1", "q")
		if u.Over != nil || u.Front != page.Client {
			t.Errorf("%v: q on another page does not go to that of the command: page %d", size, u.Front)
		}
		of.Done = func() (bool, int) { return true, 1 }
		if text = again(); !strings.Contains(text, "panic: three") || !strings.Contains(text, "ended with code 1") {
			t.Errorf("%v: the end is not shown:\n%s", size, text)
		}
		// the newest client is followed until the reader chooses one
		of.Tags = func() []string { return []string{"k1", "sit1"} }
		if again(); u.shownClient() != "k1" {
			t.Errorf("%v: %s", size, u.shownClient())
		}
		u.keys("j")
		of.Tags = func() []string { return []string{"sit1", "k1"} }
		if again(); u.shownClient() != "k1" {
			t.Errorf("%v: the reader's client is taken away: %s", size, u.shownClient())
		}
	}
}

// The output scrolls back, where nothing moves, and G follows the end again. A file that is not there is said so.
func TestClient_Output(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	u, _, c, file := clientUI(t, newDemo(flow.Limits{}), b.String(), 120, 36)
	u.Enter(2)
	again := func() string {
		c.at = c.at.Add(time.Second)
		u.fold()
		u.view()
		u.settle()
		return u.screenText()
	}
	if !strings.Contains(again(), "line 2999") {
		t.Error(u.screenText())
	}
	u.keys("k", "k", "k")
	text := again()
	if strings.Contains(text, "line 2997") || !strings.Contains(text, "line 2996") || !strings.Contains(text, "3 more ▼") {
		t.Errorf("three lines up:\n%s", text)
	}
	f, _ := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	fmt.Fprintln(f, "line 3000")
	f.Close()
	if text = again(); strings.Contains(text, "line 2997") || !strings.Contains(text, "line 2996") {
		t.Errorf("it moved:\n%s", text)
	}
	for range 2000 {
		u.keys("pgup")
		u.view()
		u.settle()
	}
	if text = again(); !strings.Contains(text, "line 0") {
		t.Errorf("the beginning is not reached:\n%s", text)
	}
	u.keys("G")
	if text = again(); !strings.Contains(text, "line 3000") {
		t.Errorf("G does not follow:\n%s", text)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if text = again(); !strings.Contains(text, "no such file") && !strings.Contains(text, "cannot find") {
		t.Errorf("a missing file:\n%s", text)
	}
}

// The newest writes of the client that is shown stay, with the requests that led to them, whatever comes later.
func TestClient_Keeps(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 60})
	d.runsWell()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("i")
	u.settle()
	u.view()
	var write, cause uint64
	flows, _ := d.log.Since(0, 0)
	for _, f := range flows {
		if c := u.Chains.Of(f.Seq); c != nil && f.Client.Tag == u.shownClient() && len(c.Events) > 0 {
			write, cause = f.Seq, c.Events[0].By
		}
	}
	for i := range 300 {
		d.log.Publish(d.request("k9", "get", "deployments", fmt.Sprint("later-", i), 200, 0.1))
	}
	u.fold()
	if write == 0 || cause == 0 || u.Log.Get(write) == nil || u.Log.Get(cause) == nil {
		t.Errorf("write #%d or its cause #%d is no longer kept", write, cause)
	}
	if u.Log.Get(1) != nil && u.Log.Get(2) != nil && u.Log.Get(3) != nil {
		t.Error("everything is kept")
	}
}
