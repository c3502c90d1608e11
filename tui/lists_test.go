package tui

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/tui/lists"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// page publishes a list: of pods, with what of its page is given.
func (d *demo) page(who string, status int, query string, p flow.Page) *flow.Flow {
	f := d.request(who, "list", "pods", "", status, 1.4)
	f.Target.Group, f.Path, f.Query = "", "/api/v1/namespaces/default/pods", query
	if p.Token != "" {
		f.Query = strings.TrimPrefix(query+"&continue="+p.Token, "&")
	}
	f.Page, f.Revision = &p, p.Snapshot
	f.ResponseBody = flow.Body{Kept: []byte("{}"), Total: int64(900 * (p.Items + 1))}
	if p.Source == "history" {
		f.Statements = []flow.Statement{{SQL: "SELECT 1"}}
	}
	if status == 410 {
		f.Reason, f.Message = "Expired", "The provided continue parameter is too old to display a consistent list result."
	}
	d.log.Publish(f)
	return f
}

// tokenAt is a continue token.
func tokenAt(rv int64, start string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":%d,"start":"%s\u0000"}`, rv, start)))
}

// chunks publishes the pages of a list in chunks of 500, with a commit between them, as far as n says.
func (d *demo) chunks(who string, n int) {
	at := d.rv
	a, b, c := tokenAt(at, "web-0499"), tokenAt(at, "web-0999"), tokenAt(at, "web-1499")
	for i, p := range []flow.Page{
		{Source: "cache", Items: 500, Next: a, Remaining: 1240},
		{Source: "history", Items: 500, Token: a, Next: b, Remaining: 740},
		{Source: "history", Items: 500, Token: b, Next: c, Remaining: 240},
		{Source: "history", Items: 240, Token: c},
	} {
		if i >= n {
			return
		}
		p.Snapshot, p.Limit = at, 500
		d.page(who, 200, "limit=500", p)
		d.change(change{who: "A", verb: "update", resource: term.Pick(i == 1, "pods", "leases"), ns: "default", name: fmt.Sprint("web-", i), before: "{}", after: "{ }"})
	}
}

// broken publishes a list whose token expires after its first page, and n of what follows.
func (d *demo) broken(n int) {
	at := d.rv
	a, again, b := tokenAt(at, "web-0499"), tokenAt(-1, "web-0499"), tokenAt(at+9, "web-0999")
	for i, p := range []flow.Page{
		{Source: "cache", Items: 500, Snapshot: at, Next: a, Remaining: 740},
		{Source: "cache", Snapshot: at, Token: a, Next: again, Expired: true},
		{Source: "cache", Items: 500, Snapshot: at + 9, Token: again, Next: b, Remaining: 243},
		{Source: "cache", Items: 243, Snapshot: at + 9, Token: b},
	} {
		if i > n {
			return
		}
		p.Limit = 500
		d.page("c1", term.Pick(p.Expired, 410, 200), "limit=500", p)
		if i == 0 {
			d.rv += 9
			d.log.SetHead(d.rv, d.rv)
		}
	}
}

func init() {
	chunks := func(n int) func(d *demo) { return func(d *demo) { d.chunks("k1", n) } }
	broken := func(n int) func(d *demo) { return func(d *demo) { d.broken(n) } }
	pageViews = append(pageViews,
		pageView{"lists-empty", func(d *demo) {}, []string{"3"}},
		pageView{"lists-whole", func(d *demo) {
			d.page("k1", 200, "resourceVersion=0", flow.Page{Source: "cache", Items: 12, Snapshot: d.rv})
		}, []string{"3"}},
		pageView{"lists-first", chunks(1), []string{"3"}},
		pageView{"lists-middle", chunks(3), []string{"3"}},
		pageView{"lists-complete", chunks(4), []string{"3", "tab", "j"}},
		pageView{"lists-selector", func(d *demo) {
			d.page("k1", 200, "limit=2&labelSelector=app%3Dweb", flow.Page{Source: "cache", Items: 2, Limit: 2, Snapshot: d.rv, Next: tokenAt(d.rv, "web-1"), Remaining: -1})
		}, []string{"3"}},
		pageView{"lists-outdated", broken(0), []string{"3"}},
		pageView{"lists-expired", broken(1), []string{"3"}},
		pageView{"lists-inconsistent", broken(3), []string{"3"}},
	)
}

// The requests of one chunked list are one line, those of another client with the same tokens are another.
func TestLists_Walks(t *testing.T) {
	d := newDemo(flow.Limits{})
	rv := d.rv
	d.chunks("k1", 3)
	d.rv = rv
	d.chunks("k2", 4)
	u, _ := testUI(d, "mono", 120, 36)
	l := u.pages[page.Lists].(*lists.Page)
	var got []string
	for _, w := range l.Rows {
		_, words := lists.StandingWords(w.Standing(0))
		got = append(got, fmt.Sprintf("%s %d pages %d items %s left %s", w.First().Flow.Client.Tag, w.Pages(), w.Items(), lists.Remaining(w), words))
	}
	want := "k1 3 pages 1500 items 240 left open, k2 4 pages 1740 items – left complete"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A walk knows whether its token has outlived its snapshot, met a 410, and went on inconsistently.
func TestLists_Broken(t *testing.T) {
	for n, want := range []string{"token outdated", "410 expired", "open", "inconsistent"} {
		d := newDemo(flow.Limits{})
		d.broken(n)
		u, _ := testUI(d, "mono", 120, 36)
		u.keys("3")
		l := u.pages[page.Lists].(*lists.Page)
		if len(l.Rows) != 1 {
			t.Fatalf("%s: %d walks", want, len(l.Rows))
		}
		if _, got := lists.StandingWords(l.Selected().Standing(u.Time.Compacted)); got != want {
			t.Errorf("after %d requests more: %s, want %s", n, got, want)
		}
		if frame := ansi.Strip(u.view()); n > 0 && !strings.Contains(frame, "✗410") {
			t.Errorf("%s: no broken link:\n%s", want, frame)
		}
	}
}

// A list at an exact version that is compacted had no token: nothing is said of one.
func TestLists_ExactExpired(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.page("c1", 410, "resourceVersion=12&resourceVersionMatch=Exact", flow.Page{Source: "cache", Snapshot: 12, Expired: true})
	u, _ := testUI(d, "mono", 160, 48)
	u.keys("3")
	mustSee(t, u, "?rv=12&match=Exact", "asked for exactly rv 12", "the state at rv 12 is no longer known")
	if strings.Contains(u.screenText(), "token") {
		t.Errorf("a token is told of:\n%s", u.screenText())
	}
}

// A list of Kubarium's own controllers is hidden, like their requests.
func TestLists_OwnHidden(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := *d.page("x", 200, "", flow.Page{Source: "cache", Items: 1, Snapshot: d.rv})
	f.Client.UserAgent = "kubarium-controller/garbage"
	d.log.Publish(&f)
	u, _ := testUI(d, "mono", 120, 36)
	if n := len(u.pages[page.Lists].(*lists.Page).Rows); n != 1 {
		t.Errorf("%d lists are shown, want 1", n)
	}
	u.traffic().ShowOwn(true)
	if n := len(u.pages[page.Lists].(*lists.Page).Rows); n != 2 {
		t.Errorf("%d lists are shown with Kubarium's own, want 2", n)
	}
}
