package tui

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/page"
)

// A liveAPI answers as fakeAPI does, but its deployments come and go.
type liveAPI struct {
	fakeAPI
	deployments map[string]int64 // name and revision
	rv          int64
	expired     bool     // continue tokens are refused
	read        []string // what was asked for of deployments
}

func (l *liveAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	body, code := l.own(r), 200
	if body == "" {
		return l.fakeAPI.RoundTrip(r)
	}
	switch {
	case strings.Contains(body, `"NotFound"`):
		code = 404
	case strings.Contains(body, `"Expired"`):
		code = 410
	}
	l.read = append(l.read, r.URL.RequestURI())
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func (l *liveAPI) own(r *http.Request) string {
	_, name, ok := strings.Cut(r.URL.Path, "/deployments")
	if !ok {
		return ""
	}
	name = strings.TrimPrefix(name, "/")
	accept := r.Header.Get("Accept")
	switch {
	case strings.Contains(accept, "PartialObjectMetadataList"):
		return fmt.Sprintf(`{"metadata":{"resourceVersion":"%d","remainingItemCount":%d},"items":[{"metadata":{"name":"first"}}]}`, l.rv, len(l.deployments)-1)
	case name != "" && l.deployments[name] == 0:
		return `{"kind":"Status","reason":"NotFound","message":"not found","code":404}`
	case name != "" && !strings.Contains(accept, "as=Table"):
		return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"default","resourceVersion":"%d"}}`, name, l.deployments[name])
	}
	rows, more, last := []string{}, "", ""
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	after := r.URL.Query().Get("continue")
	if after != "" && l.expired {
		return `{"kind":"Status","reason":"Expired","message":"the token is too old","code":410}`
	}
	for i, n := range slices.Sorted(maps.Keys(l.deployments)) {
		if n <= after {
			continue
		}
		if limit > 0 && len(rows) == limit {
			more = fmt.Sprintf(`,"continue":%q,"remainingItemCount":%d`, last, len(l.deployments)-i)
			break
		}
		last = n
		if name == "" || n == name {
			rows = append(rows, fakeRow(n, fmt.Sprintf("at %d", l.deployments[n]), ""))
		}
	}
	return fmt.Sprintf(`{"kind":"Table","metadata":{"resourceVersion":"%d"%s},%s,"rows":[%s]}`, l.rv, more, fakeColumns, strings.Join(rows, ","))
}

// liveUI is a ui of an empty log, and an API that holds the deployments api and web.
func liveUI(w, h int, limits flow.Limits) (*ui, *liveAPI, *demo) {
	d := newDemo(limits)
	l := &liveAPI{deployments: map[string]int64{"api": 4100, "web": 4101}, rv: d.rv}
	u, _ := testUI(d, "mono", w, h)
	u.API.Transport = l
	return u, l, d
}

// write is what somebody else does to a deployment meanwhile.
func (l *liveAPI) write(d *demo, kind flow.ChangeType, name string) {
	l.rv = d.write("A", "update", kind, name, 1).Effects[0].Commit.Revision
	l.deployments[name] = l.rv
	if kind == flow.Deleted {
		delete(l.deployments, name)
	}
}

// press presses keys and answers what they ask for.
func (u *ui) press(keys ...string) {
	for _, k := range keys {
		u.view()
		u.key(k)
		u.settle()
	}
}

func mustNotSee(t *testing.T, u *ui, not ...string) {
	t.Helper()
	for _, s := range not {
		if strings.Contains(u.screenText(), s) {
			t.Errorf("the screen says %q:\n%s", s, u.screenText())
		}
	}
}

// What is created and deleted while another page is shown is, and is not, in the table when it is shown again, however much it was.
func TestObjects_TrueWhenShownAgain(t *testing.T) {
	for _, more := range []int{0, 100} {
		u, l, d := liveUI(120, 36, flow.Limits{})
		u.press("7", "h", "/", "d", "e", "p", "l", "o", "y", "enter", "enter")
		mustSee(t, u, "api", "web")
		u.press("1")
		l.write(d, flow.Created, "newcomer")
		l.write(d, flow.Deleted, "web")
		l.write(d, flow.Updated, "api")
		for range more {
			l.write(d, flow.Created, fmt.Sprint("x-", d.rv))
		}
		u.fold()
		u.settle()
		u.press("7")
		mustSee(t, u, "newcomer", fmt.Sprint("at ", l.deployments["api"]))
		mustNotSee(t, u, "  web ", "at 4100")
	}
}

// The version above the table is not older than its rows, also when single rows were read again.
func TestObjects_TitleFollowsRows(t *testing.T) {
	u, l, d := liveUI(120, 36, flow.Limits{})
	u.press("7", "h", "/", "d", "e", "p", "l", "o", "y", "enter", "enter")
	l.write(d, flow.Updated, "api")
	u.fold()
	u.settle()
	mustSee(t, u, fmt.Sprint("at ", l.rv), fmt.Sprintf(" rv %d ─", l.rv))
}

// An object that was opened is read again when the page is shown again, and said to be gone when it is.
func TestObjects_ObjectTrueWhenShownAgain(t *testing.T) {
	u, l, d := liveUI(120, 36, flow.Limits{})
	u.press("7", "/", "d", "e", "p", "l", "enter", "enter", "j", "enter")
	mustSee(t, u, "deployments/web", "rv 4101")
	u.press("1")
	l.write(d, flow.Updated, "web")
	u.fold()
	u.press("7", "j", "enter")
	mustSee(t, u, fmt.Sprint("rv ", l.rv))
	u.press("1")
	l.write(d, flow.Deleted, "web")
	u.fold()
	u.press("7")
	mustSee(t, u, "deployments/web", "✗ deleted; last")
}

// What is committed while an object or a table is being read is read afterwards.
func TestObjects_ChangedWhileRead(t *testing.T) {
	u, l, d := liveUI(160, 40, flow.Limits{})
	u.press("7", "/", "d", "e", "p", "l", "enter")
	u.keys("enter")
	answers := run(u.takeEffects())
	l.write(d, flow.Deleted, "api")
	u.fold()
	call(answers)
	u.settle()
	mustNotSee(t, u, "at 4100")
	u.keys("enter")
	answers = run(u.takeEffects())
	l.write(d, flow.Updated, "web")
	u.fold()
	call(answers)
	u.settle()
	mustSee(t, u, fmt.Sprint("rv ", l.rv), fmt.Sprint("at ", l.rv))
}

// run asks what a ui left to be asked; call hands it the answers.
func run(effects []any) (answers []func()) {
	for _, e := range effects {
		if w, ok := e.(page.Work); ok {
			answers = append(answers, w.Run())
		}
	}
	return answers
}

func call(answers []func()) {
	for _, a := range answers {
		a()
	}
}

// After more commits than the log holds, as after a restore, the counts, the table and the object are read anew.
func TestObjects_TrueAfterGap(t *testing.T) {
	for _, away := range []string{"", "1"} {
		u, l, d := liveUI(160, 40, flow.Limits{Commits: 4})
		u.press("7", "/", "d", "e", "p", "l", "enter", "enter", "j")
		if away != "" {
			u.press(away)
		}
		l.write(d, flow.Updated, "web")
		l.write(d, flow.Deleted, "api")
		for range 6 {
			l.write(d, flow.Created, fmt.Sprint("x-", d.rv))
		}
		u.fold()
		u.settle()
		if away != "" {
			u.press("7")
		}
		mustSee(t, u, fmt.Sprint("rv ", l.deployments["web"]), "x-4173", "x-4177")
		mustNotSee(t, u, "at 4100")
		u.keys("h", "h")
		if s := u.screenText(); !regexp.MustCompile(`deployments +deploy +7 `).MatchString(s) {
			t.Errorf("not 7 deployments are counted:\n%s", s)
		}
	}
}

// Rows that lie behind those that were asked for are not put among them: others lie between.
func TestObjects_BehindThePage(t *testing.T) {
	u, l, d := liveUI(160, 40, flow.Limits{})
	for i := range 600 {
		l.deployments[fmt.Sprintf("m-%03d", i)] = 4100
	}
	u.press("7", "/", "d", "e", "p", "l", "enter", "enter")
	mustSee(t, u, "first 500 of 602")
	l.write(d, flow.Created, "aa")
	l.write(d, flow.Created, "zz")
	u.fold()
	u.settle()
	mustSee(t, u, "first 501 of 604", "aa ")
	u.press("G", "G")
	mustSee(t, u, "604", "zz ")
}
