package tui

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// a controller reads a Deployment and scales it, as far as the run goes.
func (d *demo) scaling(status int, more bool) {
	d.named(d.request("c1", "list", "deployments", "", 200, 3))
	d.named(d.request("c1", "get", "deployments", "web", 200, 0.6))
	f := d.request("c1", "update", "deployments", "web", status, 2.1)
	f.RequestBody = flow.Keep([]byte(fmt.Sprintf(deployment, 3, 0)))
	if status == 409 {
		f.Reason, f.Message, f.Stations = "Conflict", "the object has been modified", stations("store", 1.1)
	}
	d.named(f)
	if more {
		d.named(d.request("c1", "get", "deployments", "db", 200, 0.6))
	}
	d.named(d.request("c1", "get", "pods", "web-0", 200, 0.6))
}

// named publishes a request of one program.
func (d *demo) named(f *flow.Flow) {
	f.Client.UserAgent, f.Client.Session = "scaler/v1", ""
	d.log.Publish(f)
}

// twoRuns is the UI of a run with another one beside it.
func twoRuns(left, right func(d *demo), themeName string, w, h int) *ui {
	a, b := newDemo(flow.Limits{}), newDemo(flow.Limits{})
	left(a)
	right(b)
	c := &clockwork{noon}
	u := fullUI(Options{Log: a.log, URL: "http://127.0.0.1:8080", Version: "v0.1.0", NoIntro: true, Now: c.now, Clock: c.now, Source: Source{Kind: Recording, Name: "passed.kubarium"},
		Other: &Other{Log: b.log, Name: "failed.kubarium", URL: "http://127.0.0.1:8080", Now: c.now}}, term.NewTheme(themeName))
	u.API.Transport = &fakeAPI{}
	u.resize(w, h)
	u.fold()
	return u
}

func passed(d *demo) { d.scaling(200, false) }
func failed(d *demo) { d.scaling(409, true) }

// Two runs stand side by side, and the page opens where they part; what a run alone has is marked, and n goes from one difference to the next.
func TestCompare_Golden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		for name, c := range map[string]struct {
			left, right func(d *demo)
			keys        []string
		}{
			"compare":       {passed, failed, []string{"="}},
			"compare-next":  {passed, failed, []string{"=", "n"}},
			"compare-sheet": {passed, failed, []string{"=", "tab", "G"}},
			"compare-same":  {passed, passed, []string{"="}},
			"compare-empty": {func(*demo) {}, func(*demo) {}, []string{"="}},
		} {
			name = fmt.Sprintf("%s-%dx%d-mono", name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				u := twoRuns(c.left, c.right, "mono", size[0], size[1])
				for _, k := range c.keys {
					u.key(k)
					u.settle()
					u.view()
				}
				compareGolden(t, name, u.view()+"\n")
			})
		}
	}
}

// enter shows a request of the first run in Traffic; one that only the other run has is said to be elsewhere, and its story stands beside.
func TestCompare_Keys(t *testing.T) {
	u := twoRuns(passed, failed, "mono", 200, 60)
	u.keys("=")
	u.settle()
	if text := u.screenText(); !strings.Contains(text, "The runs part at +0.274 s: ") || !strings.Contains(text, "pages 1–9 are of A") {
		t.Errorf("it does not say where they part:\n%s", text)
	}
	if f := u.UnderCursor(); f == nil || f.Target.Verb != "update" || u.pages[page.Compare].Tab().Badge != "≠2" {
		t.Errorf("it opens on %+v, with badge %q", f, u.pages[page.Compare].Tab().Badge)
	}
	u.keys("n", "enter")
	if u.Front != page.Compare || !strings.Contains(u.Toast.Text, "in run B alone") {
		t.Errorf("enter on a request of B alone: page %d, %q", u.Front, u.Toast.Text)
	}
	if text := u.screenText(); !strings.Contains(text, "deployments/db") || !strings.Contains(text, "in A passed.kubarium  – there is no such request") {
		t.Errorf("its story is not beside:\n%s", text)
	}
	u.keys("n")
	if !strings.Contains(u.Toast.Text, "no further difference") {
		t.Errorf("n at the last difference says %q", u.Toast.Text)
	}
	u.keys("N", "enter")
	if u.Front != page.Traffic || u.Sel == nil || u.Sel.Target.Verb != "update" || u.Sel.Status != 200 {
		t.Errorf("enter shows %+v on page %d", u.Sel, u.Front)
	}
}

// The filter of the screen holds for both runs, and secrets of both are masked.
func TestCompare_Filter(t *testing.T) {
	u := twoRuns(passed, failed, "mono", 200, 60)
	u.keys("=")
	u.settle()
	u.keys("/")
	u.paste("code:409")
	u.keys("enter")
	u.settle()
	c := u.pages[page.Compare].(page.Counter).Count()
	if c.Shown != 1 || c.All != 5 {
		t.Errorf("%+v of code:409, which one request of B has", c)
	}
	if strings.Contains(u.screenText(), "s3cr3t") {
		t.Error("a secret is shown")
	}
}

// Without a second run there is no page for it.
func TestCompare_Alone(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("=")
	if u.Front != page.Traffic || strings.Contains(u.screenText(), "Compare") {
		t.Errorf("page %d", u.Front)
	}
}

// In plain mode the word compare tells where the runs part.
func TestCompare_Plain(t *testing.T) {
	u := twoRuns(passed, failed, "mono", 120, 36)
	var out strings.Builder
	p := &plain{u: u, out: &out}
	if !p.page("compare", "") || !strings.Contains(out.String(), "The runs part at") || !strings.Contains(out.String(), "4. only in run B: ") {
		t.Error(out.String())
	}
	if out.Reset(); !p.page("compare", "4") || !strings.Contains(out.String(), "This request is only in run B.") {
		t.Error(out.String())
	}
}
