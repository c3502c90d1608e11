package tui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/inspect"
	"kubarium/tui/page"
	"kubarium/tui/term"
	"kubarium/tui/traffic"
	"kubarium/tui/watches"
)

func (u *ui) screenText() string { return ansi.Strip(u.view()) }

// settle does what the ui asked the program for, at once, and returns the other effects.
func (u *ui) settle() (rest []any) {
	for effects := u.takeEffects(); len(effects) > 0; effects = u.takeEffects() {
		for _, e := range effects {
			switch e := e.(type) {
			case page.Work:
				e.Run()()
			case page.Later:
				e.Do()
			default:
				rest = append(rest, e)
			}
		}
	}
	u.Dirty = true
	return rest
}

// The selected and the marked record stay on the screen when the log has long let go of everything of their time.
func TestUI_PinnedSurvives(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 100})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("k", "k", "m", "k", "k")
	marked, chosen := u.Marks[0], u.Sel
	for i := range 1000 {
		d.log.Publish(d.request("k9", "get", "deployments", fmt.Sprint("later-", i), 200, 0.1))
		if i%37 == 0 {
			u.fold()
		}
	}
	u.fold()
	if u.Sel != chosen || u.traffic().Rows[u.traffic().Cursor()] != chosen {
		t.Errorf("the selection moved to #%d", u.Sel.Seq)
	}
	if u.traffic().Find(marked) < 0 || d.log.Get(marked.Seq) == nil {
		t.Error("the marked record is gone")
	}
	if n := len(u.traffic().Rows); n != 102 {
		t.Errorf("%d rows, want the 100 held and the 2 kept", n)
	}
	if !strings.Contains(u.screenText(), "1 000 newer ▼") {
		t.Errorf("the screen does not say how many are newer:\n%s", u.screenText())
	}
	u.keys("G")
	if u.mode() != "LIVE" || u.Sel.Target.Name != "later-999" {
		t.Errorf("G: %s at %s", u.mode(), u.Sel.Target.Name)
	}
}

// While frozen nothing moves on the screen; leaving it jumps to now and says how much was missed.
func TestUI_Freeze(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 50})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("p")
	before := len(u.traffic().Rows)
	for i := range 80 {
		d.log.Publish(d.request("k9", "get", "deployments", fmt.Sprint("x", i), 200, 0.1))
	}
	u.fold()
	if len(u.traffic().Rows) != before || !strings.Contains(u.screenText(), "FROZEN") {
		t.Error("the picture moved, or does not say that it is frozen")
	}
	u.keys("p")
	if !strings.Contains(u.Toast.Text, "80 requests while frozen, of which 30 are no longer kept") {
		t.Error(u.Toast.Text)
	}
	if !strings.Contains(u.screenText(), "drop 30") {
		t.Error("the header does not count what was dropped")
	}
}

// A filter over a large log runs off the loop, takes what was folded meanwhile, and an answer for an older one is
// dropped.
func TestUI_FilterLargeLog(t *testing.T) {
	d := newDemo(flow.Limits{})
	for i := range 3 * traffic.Inline {
		d.log.Publish(d.request("k1", "get", "deployments", "web", 200+204*(i%2), 0.1))
	}
	u, _ := testUI(d, "mono", 120, 36)
	u.settle()
	u.applyFilter("code:404")
	stale := u.takeEffects()
	u.applyFilter("code:200")
	d.log.Publish(d.request("k1", "get", "deployments", "late", 200, 0.1))
	u.fold()
	u.settle()
	stale[0].(page.Work).Run()()
	if n := len(u.traffic().Rows); n != 3*traffic.Inline/2+1 {
		t.Errorf("%d rows", n)
	}
	if got := u.traffic().Rows[len(u.traffic().Rows)-1].Target.Name; got != "late" {
		t.Errorf("the last row is %s", got)
	}
	u.keys("*")
	u.settle()
	if n := len(u.traffic().Rows); n != 3*traffic.Inline+1 {
		t.Errorf("cleared: %d rows", n)
	}
}

// + narrows to a value of the selected request and - excludes it.
func TestUI_FilterToValue(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("+", "c")
	if u.filter.text != "code:404" || len(u.traffic().Rows) != 1 {
		t.Errorf("+ c: %q, %d rows", u.filter.text, len(u.traffic().Rows))
	}
	u.keys("-", "w")
	if len(u.traffic().Rows) != 0 || !strings.Contains(u.screenText(), "0 of 16 requests pass the filter.") {
		t.Errorf("- w: %q, %d rows", u.filter.text, len(u.traffic().Rows))
	}
}

// The header counts the requests that may be shown: what Kubarium itself sends, only where that is.
func TestUI_RateOfWhatIsShown(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, c := testUI(d, "mono", 120, 36)
	publish := func(n int, agent string) {
		for range n {
			f := d.request("x", "get", "pods", "web", 200, 1)
			f.Start = c.at
			f.Client.UserAgent = agent
			d.log.Publish(f)
		}
		c.at = c.at.Add(time.Second)
		u.fold()
	}
	publish(50, flow.UIAgent)
	mustSee(t, u, " 0 req/s", "0 requests shown · 50 own hidden")
	publish(7, "kubectl/v1.37.0")
	mustSee(t, u, " 7 req/s", "7 requests shown")
	u.ShowOwn(true)
	publish(0, "")
	publish(20, flow.UIAgent)
	mustSee(t, u, " 20 req/s", "77 requests shown")
}

// What is in the log before the UI looks is not what comes now: not the requests, not those of Kubarium's own that are
// shown later, not the commits.
func TestUI_RateOfBacklog(t *testing.T) {
	d := newDemo(flow.Limits{})
	for range 60 {
		d.write("A", "update", flow.Updated, "web", 3).Client.UserAgent = flow.UIAgent
		d.write("A", "update", flow.Updated, "web", 3)
	}
	u, c := testUI(d, "mono", 160, 36)
	c.at = d.at.Add(time.Minute)
	u.Dirty = true
	mustSee(t, u, " 0 req/s", "4 Versions")
	if rate := u.pages[page.Versions].Tab().Rate; rate != "" {
		t.Errorf("versions come at %s", rate)
	}
	u.keys("v", "o")
	u.fold()
	mustSee(t, u, " 0 req/s", "120 requests shown")
}

// What Kubarium itself sends is hidden and counted, unless one asks for it: by its name, or in the view options.
func TestUI_HidesItself(t *testing.T) {
	d := newDemo(flow.Limits{})
	for who, agent := range map[string]string{"ui": flow.UIAgent, "bootstrap": "kubarium-controller/bootstrap"} {
		f := d.request(who, "get", "deployments", "own", 200, 0.1)
		f.Client.UserAgent = agent
		d.log.Publish(f)
	}
	d.log.OpenWatch(flow.WatchInfo{Client: flow.Client{Tag: "bootstrap", UserAgent: "kubarium-controller/bootstrap"}, Target: flow.Target{Verb: "watch", Resource: "nodes"}, Opened: d.at})
	u, _ := testUI(d, "mono", 120, 36)
	if s := u.screenText(); len(u.traffic().Rows) != 0 || !strings.Contains(s, "No requests yet.") || !strings.Contains(s, "0 requests shown · 2 own hidden") {
		t.Errorf("%d rows:\n%s", len(u.traffic().Rows), s)
	}
	for text, want := range map[string]int{"who:ui": 1, "who:bootstrap,k1": 1, "ua~kubarium-": 2, "!who:k1": 0, "code:200": 0} {
		u.applyFilter(text)
		if n := len(u.traffic().Rows); n != want {
			t.Errorf("%s shows %d", text, n)
		}
	}
	u.keys("*", "2")
	if s := u.screenText(); !strings.Contains(s, "No client is watching.") || !strings.Contains(s, "1 own hidden") {
		t.Errorf("Watches:\n%s", s)
	}
	u.keys("1", "v", "o")
	if n := len(u.traffic().Rows); n != 2 || len(u.Streams.List) != 1 || strings.Contains(u.screenText(), "own hidden") {
		t.Errorf("shown: %d requests, %d watches", n, len(u.Streams.List))
	}
}

// Grouped, a kubectl run is one line with the worst of its answers, which unfolds and folds, and the selection stays.
func TestUI_GroupRuns(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 20})
	for i, code := range []int{200, 200, 409, 200} {
		f := d.request("k3", "get", "deployments", fmt.Sprint("web-", i), code, 1)
		f.Client.Session, f.Client.Command = "run-3", "kubectl apply"
		d.log.Publish(f)
	}
	d.log.Publish(d.request("k4", "get", "deployments", "alone", 200, 1))
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("v", "g", "k", "k")
	at := u.Sel
	u.keys("v", "g")
	s := u.screenText()
	if len(u.traffic().Rows) != 2 || !strings.Contains(s, "kubectl apply · 4 requests") || !strings.Contains(s, "409!   412") || !strings.Contains(s, "group on") || !strings.Contains(s, "5 requests shown") {
		t.Errorf("folded, %d rows:\n%s", len(u.traffic().Rows), s)
	}
	if u.Sel != at || u.traffic().Cursor() != 0 {
		t.Errorf("the selection moved: #%d, row %d", u.Sel.Seq, u.traffic().Cursor())
	}
	u.keys("enter")
	if len(u.traffic().Rows) != 5 || u.traffic().Rows[u.traffic().Cursor()] != at || u.At > 0 {
		t.Errorf("unfolded: %d rows, row %d", len(u.traffic().Rows), u.traffic().Cursor())
	}
	u.keys("left")
	if len(u.traffic().Rows) != 2 || u.Sel != at {
		t.Errorf("folded again: %d rows, #%d", len(u.traffic().Rows), u.Sel.Seq)
	}
	u.keys("right", "h", "enter", "enter")
	if u.At == 0 {
		t.Error("enter on a request does not open the inspector")
	}
	u.keys("esc", "G", "left", "v", "g")
	for i := range 22 {
		f := d.request("k3", "get", "deployments", fmt.Sprint("later-", i), 200, 1)
		f.Client.Session, f.Client.Command = "run-3", "kubectl apply"
		d.log.Publish(f)
	}
	u.fold()
	u.keys("v", "g")
	if s := u.screenText(); !strings.Contains(s, "kubectl apply · 20 requests") {
		t.Errorf("the first requests have aged out:\n%s", s)
	}
}

// Secrets are masked on every tab and in every copy, until :unmask, and the header says so.
func TestUI_Masks(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 160, 48)
	u.keys("k")
	if u.Sel.Target.Resource != "secrets" {
		t.Fatal("not on the Secret")
	}
	const secret, token = "aHVudGVyMg", "s3cr3t"
	for t1 := inspect.TabStory; t1 < inspect.Tabs; t1++ {
		u.traffic().Inspector.Tab = t1
		if s := u.screenText(); strings.Contains(s, secret) || strings.Contains(s, token) {
			t.Errorf("tab %s shows a secret", t1)
		}
	}
	for _, c := range page.Copyings {
		if s := c.Text(u.Env, u.Shown()); strings.Contains(s, secret) || strings.Contains(s, token) {
			t.Errorf("the copy of %s holds a secret", c.What)
		}
	}
	u.toggleUnmask()
	u.traffic().Inspector.Tab = inspect.TabRequest
	u.keys("o")
	if s := u.screenText(); !strings.Contains(s, secret) || !strings.Contains(s, token) || !strings.Contains(s, "UNMASKED") {
		t.Errorf(":unmask:\n%s", s)
	}
}

// Bytes of a Secret that cannot be read as JSON are hidden altogether.
func TestRedact_BrokenBody(t *testing.T) {
	f := &flow.Flow{Target: flow.Target{Resource: "secrets"}, RequestBody: flow.Keep([]byte(`{"data":{"password":"aHVudG`)), ResponseBody: flow.Keep([]byte("k8s\x00hunter2"))}
	g := redact.Flow(f)
	if s := string(g.RequestBody.Kept) + string(g.ResponseBody.Kept); strings.Contains(s, "aHVud") || strings.Contains(s, "hunter2") {
		t.Error(s)
	}
	patch := &flow.Flow{Target: flow.Target{Resource: "secrets"}, RequestBody: flow.Keep([]byte(`[{"op":"add","path":"/data/p","value":"aHVudGVyMg=="}]`))}
	if s := string(redact.Flow(patch).RequestBody.Kept); strings.Contains(s, "aHVud") || !strings.Contains(s, `"path":"/data/p"`) {
		t.Error(s)
	}
}

// Tokens are masked where they come and go: in headers, in what a TokenRequest is answered with, and in what a TokenReview asks.
func TestRedact_Tokens(t *testing.T) {
	const token = "eyJhbGciOiJFUzI1NiJ9"
	for what, f := range map[string]*flow.Flow{
		"TokenRequest": {Target: flow.Target{Resource: "serviceaccounts", Subresource: "token"}, ResponseBody: flow.Keep([]byte(`{"status":{"token":"` + token + `"}}`))},
		"TokenReview": {Target: flow.Target{Resource: "tokenreviews"}, RequestBody: flow.Keep([]byte(`{"spec":{"token":"` + token + `"}}`)),
			ResponseBody: flow.Keep([]byte("k8s\x00" + token))},
		"header":    {RequestHeader: http.Header{"Authorization": {"Bearer " + token}}},
		"WebSocket": {RequestHeader: http.Header{"Sec-Websocket-Protocol": {"base64url.bearer.authorization.k8s.io." + token + ", v4.channel.k8s.io"}}},
	} {
		g := redact.Flow(f)
		if s := fmt.Sprintf("%s %s %s", g.RequestHeader, g.RequestBody.Kept, g.ResponseBody.Kept); strings.Contains(s, token) || !strings.Contains(s, redact.Hidden) {
			t.Errorf("%s: %s", what, s)
		}
	}
}

// Escape sequences in what clients send never reach the terminal.
func TestUI_NoEscapesFromRequests(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("k1", "get", "deployments", "x\x1b]0;evil\x07\x1b[2J\u009b5m", 200, 0.1)
	f.RequestHeader.Set("X-Evil", "\x1b[31mred")
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 120, 36)
	for range int(inspect.Tabs) {
		u.key("]")
		if s := u.screenText(); strings.ContainsAny(s, "\x1b\x07\u009b") {
			t.Errorf("%q", s)
		}
		if s := u.view(); strings.Contains(s, "\x1b]") || strings.Contains(s, "\x1b[2J") || strings.Contains(s, "\x1b[31m") {
			t.Errorf("%q", s)
		}
	}
}

// m and then d compares with the marked record; sorting, time formats and freezing keep the selection.
func TestUI_CompareSortClock(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("k", "k", "m", "k", "k", "m", "d")
	if s := u.screenText(); !strings.Contains(s, "#14 compared with #12") || !strings.Contains(s, "409 Conflict") {
		t.Errorf("d:\n%s", s)
	}
	u.keys("esc")
	chosen := u.Sel
	for range int(traffic.Orders) {
		u.keys("s")
		sorted := u.Toast.Text
		u.keys("t")
		if u.Sel != chosen || u.traffic().Rows[u.traffic().Cursor()] != chosen {
			t.Fatalf("%s: the selection moved", sorted)
		}
	}
}

// m marks; where another request is marked it asks: compare, mark this one as well or take its mark away, go on to the
// next mark.
func TestUI_CompareAsks(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("m")
	first := u.Sel
	if u.keys("m"); len(u.Marks) != 0 || u.Over != nil {
		t.Errorf("m twice: %d marks", len(u.Marks))
	}
	u.keys("m", "k", "m")
	second := u.Sel
	mustSee(t, u, "compare #15 with #16, which is marked", "mark #15 as well", "next marked request")
	u.keys("m")
	if len(u.Marks) != 2 || !u.Marked(second) {
		t.Errorf("%d marks", len(u.Marks))
	}
	if u.keys("m", "'"); u.Sel != first {
		t.Errorf("next mark: #%d", u.Sel.Seq)
	}
	if u.keys("m", "m"); len(u.Marks) != 1 || u.Marked(first) {
		t.Errorf("%d marks after one was taken away", len(u.Marks))
	}
	for _, k := range []string{"d", "'"} {
		if u.bound(k) != nil {
			t.Errorf("%s is a key of its own", k)
		}
	}
}

// An event of a watch leads to the request that made its change.
func TestUI_FrameToRequest(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("2", "j", "enter", "enter")
	if u.Front != page.Traffic || u.Sel.Revision != 4172 {
		t.Errorf("screen %d, rv %d", u.Front, u.Sel.Revision)
	}
}

// Keys that can do nothing say why, and a hidden screen is not reached.
func TestUI_ReasonsInsteadOfNothing(t *testing.T) {
	u, _ := testUI(newDemo(flow.Limits{}), "mono", 120, 36)
	for k, want := range map[string]string{"y": "no request is selected", "8": "no lessons", "space": "no lesson is loaded", "*": "no filter"} {
		u.key(k)
		if !strings.Contains(u.Toast.Text, want) {
			t.Errorf("%s: %q", k, u.Toast.Text)
		}
	}
	if u.Front != page.Traffic || strings.Contains(u.screenText(), "Learn") {
		t.Error("Learn is shown without lessons")
	}
}

// Clicks select rows and switch screens, the wheel scrolls what is under the pointer.
func TestUI_Mouse(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.view()
	u.click(10, u.lay.panes[0].Y+3)
	if u.Sel.Seq != 3 || u.mode() != "PINNED" {
		t.Errorf("a click on the third row selects #%d", u.Sel.Seq)
	}
	u.wheel(10, u.lay.panes[0].Y+3, 3)
	if u.Sel.Seq != 6 {
		t.Errorf("the wheel goes to #%d", u.Sel.Seq)
	}
	u.click(15, 1)
	if u.Front != page.Watches {
		t.Error("a click on the tab does not switch")
	}
}

// A slow terminal makes data frames rarer, up to one a second; a fast one does not.
func TestMeter_Slot(t *testing.T) {
	m := &meter{live: time.Second / 10}
	m.wrote(100, 100*time.Microsecond)
	if slot, _, _ := m.slot(false); slot != time.Second/10 {
		t.Errorf("fast: %v", slot)
	}
	for range 50 {
		m.wrote(100, 30*time.Millisecond)
	}
	if slot, _, _ := m.slot(false); slot < 500*time.Millisecond || slot > slowestSlot {
		t.Errorf("slow: %v", slot)
	}
}

// The filter narrows the watches as well, and the header goes on counting all of them.
func TestUI_FilterWatches(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("2")
	u.applyFilter("who:inf")
	if n := len(u.Streams.List); n != 1 || u.pages[page.Watches].(*watches.Page).Selected().Client.Tag != "inf" {
		t.Errorf("%d watches", n)
	}
	u.applyFilter("who:nobody")
	if s := u.screenText(); !strings.Contains(s, "0 of 2 watches pass the filter") || !strings.Contains(s, "◉ 2 watching") {
		t.Errorf("none:\n%s", s)
	}
	u.keys("*")
	if n := len(u.Streams.List); n != 2 {
		t.Errorf("cleared: %d watches", n)
	}
}

// managedFields are folded, and o opens them.
func TestUI_FoldsLongBodies(t *testing.T) {
	var fields []string
	for i := range 80 {
		fields = append(fields, fmt.Sprintf(`"f:key-%d":{}`, i))
	}
	long := `{"kind":"ConfigMap","metadata":{"name":"x","managedFields":[{"manager":"kubectl","fieldsV1":{` + strings.Join(fields, ",") + `}}]},"data":{"a":"b"}}`
	d := newDemo(flow.Limits{})
	f := d.request("k1", "get", "deployments", "web", 200, 1)
	f.ResponseBody = flow.Keep([]byte(long))
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 120, 48)
	u.keys("]", "]")
	s := u.screenText()
	if !strings.Contains(s, "⋮ 85 lines  o opens") || !strings.Contains(s, `"data"`) || strings.Contains(s, "f:key-7") {
		t.Errorf("folded:\n%s", s)
	}
	u.keys("o")
	if s := u.screenText(); !strings.Contains(s, "f:key-7") || strings.Contains(s, "o opens") {
		t.Errorf("open:\n%s", s)
	}
	u.keys("o", "enter", "/", "y", "-", "7", "9", "enter")
	if s := u.screenText(); !strings.Contains(s, "f:key-79") {
		t.Errorf("searched for:\n%s", s)
	}
	u.keys("esc", "b")
	if s := u.screenText(); !strings.Contains(s, "⋮") || strings.Contains(s, "f:key-7") {
		t.Errorf("yaml, folded:\n%s", s)
	}
}

// What is too long for a terminal's clipboard can be written to a file that only its user may read.
func TestUI_CopyLong(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("k1", "get", "deployments", "web", 200, 1)
	body := strings.Repeat("x", page.MostCopied+1)
	f.ResponseBody = flow.Keep([]byte(body))
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 120, 36)
	u.StateDir = t.TempDir()
	u.keys("y", "b")
	if s := u.screenText(); !strings.Contains(s, "body of #1: 68 KiB") {
		t.Errorf("offer:\n%s", s)
	}
	u.keys("w")
	u.settleWork()
	files, err := filepath.Glob(filepath.Join(u.StateDir, "copies", "body-of-1-*.txt"))
	if err != nil || len(files) != 1 || !strings.Contains(u.Toast.Text, files[0]) {
		t.Fatalf("%v %v, %q", files, err, u.Toast.Text)
	}
	b, err := os.ReadFile(files[0])
	info, _ := os.Stat(files[0])
	if err != nil || string(b) != body || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" { // where modes are made up
		t.Errorf("%v, %d bytes, %v", err, len(b), info.Mode())
	}
	u.keys("y", "b", "v")
	if _, ok := u.Over.(*term.Reader); !ok {
		t.Error("v does not show it")
	}
}

// New requests of a large log are listed at once, although its runs are folded again once a second at most.
func TestUI_GroupLargeLog(t *testing.T) {
	d := newDemo(flow.Limits{})
	for i := range traffic.Inline + 2 {
		f := d.request("k1", "get", "deployments", "web", 200, 1)
		f.Client.Session = fmt.Sprint("run-", i/2)
		d.log.Publish(f)
	}
	u, _ := testUI(d, "mono", 120, 36)
	rows := len(u.traffic().Rows)
	f := d.request("k9", "get", "deployments", "late", 200, 1)
	f.Client.Session = "late"
	d.log.Publish(f)
	u.fold()
	if len(u.traffic().Rows) != rows+1 || u.Sel != f || u.traffic().Restless() {
		t.Errorf("%d rows, %d before", len(u.traffic().Rows), rows)
	}
}
