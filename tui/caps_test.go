package tui

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/flow"
)

// Where older ones are not kept, a count says that it is of the last, on every page, in badges and in plain mode.
func TestCounts_OfTheLast(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, _ := testUI(d, "mono", 160, 36)
	mustSee(t, u, "5 Conflicts", "3 Lists   ")
	for range 2100 {
		d.log.Publish(d.refused())
		l := paged(d.request("k1", "list", "pods", "", 200, 2))
		l.Page.Next = fmt.Sprint("token-", d.at)
		d.log.Publish(l)
	}
	u.fold()
	mustSee(t, u, "5 Conflicts !2 000+", "3 Lists ▸1 000+")
	u.press("3")
	mustSee(t, u, "the last 1 000 lists shown")
	u.press("5")
	mustSee(t, u, "the last 2 000 conflicts shown", "the last: 2 000 conflicts, 0 overwrites")
	var out strings.Builder
	p := &plain{u: u, out: &out}
	p.command("conflicts")
	p.command("lists")
	for _, want := range []string{"Of the last 2 000 conflicts; older ones are no longer kept:", "Of the last 1 000 lists;"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("plain mode does not say %q: %.300s", want, out.String())
		}
	}
}
