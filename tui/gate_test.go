package tui

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/client"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/page"
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
		"sent rv 7, and that is stored":              {Target: flow.Target{Verb: "patch"}, Sent: 7, Stored: 7},
		"names no version: will replace rv 9":        {Target: flow.Target{Verb: "update"}, Stored: 9},
		"stored already, rv 9: will be refused":      {Target: flow.Target{Verb: "create"}, Stored: 9},
		"committed rv 9, its answer is 200 OK":       {Target: flow.Target{Verb: "update"}, Committed: 9, Status: 200},
		"its answer is 404 Not Found":                {Target: flow.Target{Verb: "get"}, Status: 404},
		"DELETED shop/web rv 8":                      {Frame: &flow.Frame{Type: "DELETED", Namespace: "shop", Name: "web", Revision: 8}},
		"":                                           {Target: flow.Target{Verb: "list"}, Sent: 3},
	} {
		if got := gates.Outlook(&h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A gateServer keeps what the UI asks of a gate.
type gateServer struct {
	*httptest.Server
	mu    sync.Mutex // guards asked
	asked []string
}

func mustGateServer(t *testing.T) *gateServer {
	t.Helper()
	s := &gateServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		s.mu.Unlock()
		if r.Method == http.MethodGet {
			_ = json.NewEncoder(w).Encode(rule.Held{ID: 4, Edits: "body", Media: "application/json", Text: `{"data":{"fish":"4"}}`})
			return
		}
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(s.Close)
	return s
}

// gateUI is a ui of a demo whose server has a gate.
func gateUI(t *testing.T, d *demo) (*ui, *gateServer) {
	t.Helper()
	s := mustGateServer(t)
	u, _ := testUI(d, "mono", 120, 36)
	*u.API = client.Client{URL: s.URL}
	u.view()
	return u, s
}

// Each key of the gate asks the server for what it says.
func TestGate_Keys(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(rules, []byte("cut on verb:list\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	typed := func(before string, s string, after ...string) []string {
		keys := append([]string{"9"}, strings.Split(before, "")...)
		for _, r := range s {
			keys = append(keys, keyOf(string(r)))
		}
		return append(keys, after...)
	}
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"go":            {[]string{"9", "g"}, "POST /debug/held?do=go&id=4"},
		"all":           {[]string{"9", "A"}, "POST /debug/held?do=go&id=all"},
		"refuse":        {[]string{"9", "x", "1"}, "POST /debug/held?code=409&do=refuse&id=4"},
		"too many":      {[]string{"9", "x", "3"}, "POST /debug/held?code=429&do=refuse&id=4&retry-after=3"},
		"typed status":  {typed("xt", "418 9", "enter"), "POST /debug/held?code=418&do=refuse&id=4&retry-after=9"},
		"drop":          {[]string{"9", "D", "D"}, "POST /debug/held?do=drop&id=4"},
		"add":           {typed("a", "cut on verb:get", "enter"), "POST /debug/gate cut on verb:get"},
		"completed":     {typed("a", "ref", "tab", "tab", "o", "n", "space", "v", "tab", "l", "i", "s", "t", "enter"), "POST /debug/gate refuse 409 on verb:list"},
		"remove":        {[]string{"9", "j", "j", "j", "-"}, "DELETE /debug/gate?id=2"},
		"remove holder": {[]string{"9", "j", "j", "-", "r"}, "DELETE /debug/gate?id=1"},
		"off":           {typed(":", "fault off", "enter"), "DELETE /debug/gate"},
		"command":       {typed(":", `fault hold before "rv check" on verb:update`, "enter"), `POST /debug/gate hold before "rv check" on verb:update`},
		"file":          {typed(":", "faults "+rules, "enter"), "PUT /debug/gate cut on verb:list"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDemo(flow.Limits{})
			d.gated()
			u, s := gateUI(t, d)
			for _, k := range c.keys {
				u.keys(k)
				u.view()
			}
			u.settleWork()
			if !slices.Contains(s.asked, c.want) {
				t.Errorf("asked %q, want %q; said %q", s.asked, c.want, u.Toast.Text)
			}
		})
	}
}

// What is removed with its rule goes on, and only then.
func TestGate_RemoveAndLetGo(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.gated()
	u, s := gateUI(t, d)
	u.keys("9", "j", "j", "-")
	u.settleWork()
	if len(s.asked) > 0 && slices.ContainsFunc(s.asked, func(a string) bool { return !strings.HasPrefix(a, "GET") }) {
		t.Errorf("asked before the answer: %q", s.asked)
	}
	u.keys("g")
	u.settleWork()
	for _, want := range []string{"DELETE /debug/gate?id=1", "POST /debug/held?do=go&id=4"} {
		if !slices.Contains(s.asked, want) {
			t.Errorf("%q was not asked: %q", want, s.asked)
		}
	}
}

// A text is edited first and goes out with g; what is saved as it came is no edit.
func TestGate_Edit(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.gated()
	u, s := gateUI(t, d)
	edit := func(saved string) {
		u.keys("9", "E")
		for _, e := range u.settle() {
			if e, ok := e.(page.Edit); ok {
				if e.Name != "held-4.json" || !strings.Contains(string(e.Text), "fish") {
					t.Errorf("%s: %s", e.Name, e.Text)
				}
				e.Done([]byte(saved), nil)
			}
		}
	}
	edit(`{"data":{"fish":"4"}}`)
	if u.Toast.Text != "nothing was edited" {
		t.Error(u.Toast.Text)
	}
	edit(`{"data":{"fish":"5"}}`)
	if text := u.screenText(); !strings.Contains(text, "◆ edited") || !strings.Contains(text, `"5"`) {
		t.Errorf("the edit is not shown:\n%s", text)
	}
	u.keys("g")
	u.settleWork()
	if want := "GET /debug/held?id=4&secrets=true"; !slices.Contains(s.asked, want) {
		t.Errorf("what is edited was not asked for unmasked: %q", s.asked)
	}
	if want := `POST /debug/held?do=go&id=4 {"data":{"fish":"5"}}`; !slices.Contains(s.asked, want) {
		t.Errorf("%q", s.asked)
	}
}

// Bad words change nothing and are told.
func TestGate_BadWords(t *testing.T) {
	for typed, want := range map[string]string{"99": "a refusal needs a status from 400 to 599", "429 0": "Retry-After needs seconds", "": "a refusal is a status"} {
		d := newDemo(flow.Limits{})
		d.gated()
		u, s := gateUI(t, d)
		u.keys("9", "x", "t")
		for _, r := range typed {
			u.keys(keyOf(string(r)))
		}
		u.keys("enter")
		u.settleWork()
		if !strings.Contains(u.Toast.Text, want) || slices.ContainsFunc(s.asked, func(a string) bool { return strings.HasPrefix(a, "POST") }) {
			t.Errorf("%q: %q, %q", typed, u.Toast.Text, s.asked)
		}
	}
	d := newDemo(flow.Limits{})
	d.gated()
	u, s := gateUI(t, d)
	u.keys("9", "a", "x", "enter")
	u.settleWork()
	if !u.gate().Typing() || !strings.Contains(u.Toast.Text, "that is no rule yet") || slices.ContainsFunc(s.asked, func(a string) bool { return strings.HasPrefix(a, "POST") }) {
		t.Errorf("%q, %q", u.Toast.Text, s.asked)
	}
}

// What is offered while a rule is typed can act where the gate is.
func TestGate_Offers(t *testing.T) {
	for db, want := range map[string]bool{"": true, label.GlassScheme + "dev": false} {
		d := newDemo(flow.Limits{})
		d.gated()
		u, _ := gateUI(t, d)
		u.DB = db
		u.keys("9", "a", "l")
		if line := u.view(); !strings.Contains(line, "tab lose") || strings.Contains(line, "tab lose lag") != want {
			t.Errorf("%q: lag is offered: %v\n%s", db, !want, line)
		}
	}
}

// The mouse opens the gate at what was pressed, on its strip as in the row of a held request.
func TestGate_Mouse(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.gated()
	u, _ := gateUI(t, d)
	for _, c := range []struct {
		text string
		want string
	}{{"k1    watch   pods/db-0", "held request 5"}, {"before rv check, 8.2 s", "held request 4"}, {"9 opens it", "held request"}} {
		u.keys("1")
		lines := strings.Split(u.screenText(), "\n")
		y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, c.text) })
		if y < 0 {
			t.Fatalf("%q is not on\n%s", c.text, u.screenText())
		}
		u.click(strings.Index(lines[y], "4")%8+2, y)
		if text := u.screenText(); u.Front != page.Gate || !strings.Contains(text, "─ "+c.want) {
			t.Errorf("%q leads to page %d:\n%s", c.text, u.Front, text)
		}
	}
}

// A held request has a row in Traffic as long as the filter lets it through, and a published one takes its place.
func TestGate_TrafficRow(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.gated()
	u, _ := gateUI(t, d)
	row := func() bool { return strings.Contains(u.screenText(), "before rv check, 8.2 s ") }
	if !row() {
		t.Errorf("no row:\n%s", u.screenText())
	}
	for filter, want := range map[string]bool{"verb:list": false, "fault:hold": true, "who:B": true} {
		u.applyFilter(filter)
		if row() != want {
			t.Errorf("%s: row %v", filter, row())
		}
	}
	u.applyFilter("")
	u.Gate.Tell(rule.State{})
	u.fold()
	if text := u.screenText(); row() || strings.Contains(text, "─ gate ─") || strings.Contains(text, "FAULTS") {
		t.Errorf("there is nothing at the gate any more:\n%s", text)
	}
}

// While the picture is frozen the gate stands still in it.
func TestGate_Frozen(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.gated()
	u, _ := gateUI(t, d)
	u.keys("p")
	u.Gate.Tell(rule.State{})
	u.fold()
	if !strings.Contains(u.screenText(), "HELD 2") {
		t.Error("the gate moved in a frozen picture")
	}
	u.keys("p")
	if strings.Contains(u.screenText(), "HELD 2") {
		t.Error("the gate is not as it is now")
	}
}

// A recording holds nothing, and shows what was touched in it.
func TestGate_Recording(t *testing.T) {
	u, _ := recorded(func(d *demo) { d.story() }, Source{}, 120, 36)
	u.keys("9")
	if text := u.screenText(); !strings.Contains(text, "A recording holds nothing") {
		t.Errorf("%s", text)
	}
	u.keys("a")
	if u.gate().Typing() || !strings.Contains(u.Toast.Text, "this is a recording") {
		t.Errorf("a rule is typed in a recording: %q", u.Toast.Text)
	}
	u, _ = recorded(func(d *demo) { d.touch() }, Source{}, 120, 36)
	u.keys("9")
	if text := u.screenText(); !strings.Contains(text, "hold before rv check, 8.2 s, let go") {
		t.Errorf("%s", text)
	}
	var out strings.Builder
	p := &plain{u: u, out: &out}
	p.command("gate")
	p.command("go 4")
	for _, want := range []string{"B update deployments/web: hold before rv check, 8.2 s, let go.", "A recording holds nothing"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// A server without a gate is said to be one.
func TestGate_OldServer(t *testing.T) {
	u, _ := testUI(newDemo(flow.Limits{}), "mono", 120, 36)
	u.Gate.Trouble = gates.Old
	u.keys("9", "a")
	if text := u.screenText(); !strings.Contains(text, "This server has no gate") || u.gate().Typing() {
		t.Errorf("%s", text)
	}
}

// What will happen to one that is held is told by what was committed since, also where the gate says nothing new.
func TestGate_CommittedMeanwhile(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.write("A", "create", flow.Created, "web", 1)
	d.gated()
	d.gate.Held[0].Sent, d.gate.Held[0].Stored = d.rv, d.rv
	d.gate.Held[0].Start = d.at
	u, _ := gateUI(t, d)
	u.keys("9")
	if text := u.screenText(); !strings.Contains(text, "and that is stored") {
		t.Errorf("%s", text)
	}
	d.write("A", "update", flow.Updated, "web", 2)
	u.fold()
	if text := u.screenText(); !strings.Contains(text, fmt.Sprintf("stored %d: will be refused", d.rv)) {
		t.Errorf("%s", text)
	}
}
