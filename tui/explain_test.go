package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// explained is what e says, on one line.
func explained(u *ui) string {
	u.keys("e")
	var out []string
	for _, l := range u.Over.(*term.Reader).Lines(90) {
		out = append(out, l.String())
	}
	u.keys("esc")
	return strings.Join(strings.Fields(strings.Join(out, " ")), " ")
}

// Every sign of the header and of the tabs is explained where it is, with the number of now.
func TestExplain_Frame(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 20})
	d.story()
	d.gate = &rule.State{Rules: []rule.Active{{ID: 1, Line: "hold verb:update"}}, Held: []rule.Held{{ID: 9}}}
	u, c := testUI(d, "mono", 120, 36)
	u.keys("m", "k")
	u.toggleUnmask()
	for i := range 40 {
		d.log.Publish(d.request("k9", "get", "deployments", fmt.Sprint("x", i), 200, 0.1))
	}
	c.at = c.at.Add(time.Second)
	u.fold()
	p := &fakePlayer{state: toldStep}
	u.pages[page.Learn], u.lesson.Lessons = u.lesson, goldenLessons(p)
	u.lesson.Open("lost-update")
	all := explained(u)
	for _, want := range []string{"rv 4177 the newest", "◉ 2 so many", "PINNED the selected", "FAULTS 1 so many", "HELD 1 so many", "UNMASKED Secrets",
		"1 lag so many", "drop 20 so many", " requests of clients are no longer kept", "◆ 1 so many", "2 Watches ◉2: so many", "5 Conflicts !1: so many", "8 Learn ▸2/3: so many", "9 Gate ⏸1: so many"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not explained:\n%s", want, all)
		}
	}
	for _, s := range u.screens() {
		if tab := u.pages[s].Tab(); tab.Badge+tab.Rate != "" && !strings.Contains(all, tab.Means) {
			t.Errorf("%s %s is not explained", tab.Name, tab.Badge)
		}
	}
	u.keys("G")
	u.Namespace = "shop"
	if all = explained(u); !strings.Contains(all, "ns shop the pages") || !strings.Contains(all, "LIVE new requests") || strings.Contains(all, "PINNED") {
		t.Errorf("LIVE: %s", all)
	}
	u.keys("p")
	if all = explained(u); !strings.Contains(all, "FROZEN the picture") {
		t.Errorf("FROZEN: %s", all)
	}
	u.keys("p")
	u.goTo(4175)
	if all = explained(u); !strings.Contains(all, "PAST all pages") {
		t.Errorf("PAST: %s", all)
	}
}

// The badge of Lists counts lists that are being read, and those that broke and were not seen.
func TestLists_Badge(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, c := testUI(d, "mono", 120, 36)
	badge := func() string { u.fold(); return u.pages[page.Lists].Tab().Badge }
	chunk := func(who, token, next string, status int) {
		f := d.request(who, "list", "pods", "", status, 1)
		f.Query = "limit=5"
		f.Page = &flow.Page{Items: 5, Limit: 5, Snapshot: 4170, Token: token, Next: next}
		if status == 410 {
			f.Page.Expired, f.Page.Items = true, 0
		}
		if token != "" {
			f.Query += "&continue=" + token
		}
		f.Start = c.at
		d.log.Publish(f)
	}
	for i := range 276 {
		chunk(fmt.Sprint("k", i), "", "bmV4dA", 200)
	}
	if got := badge(); got != "▸276" || !u.restless() {
		t.Errorf("while they are read: %q, restless %v", got, u.restless())
	}
	c.at = c.at.Add(11 * time.Second)
	if got := badge(); got != "" {
		t.Errorf("when no client goes on: %q", got)
	}
	chunk("k0", "bmV4dA", "", 410)
	if got := badge(); got != "✗1" {
		t.Errorf("a token that expired: %q", got)
	}
	u.keys("3")
	u.view()
	if got := badge(); got != "" {
		t.Errorf("after a look: %q", got)
	}
}
