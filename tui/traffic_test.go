package tui

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
)

// Rows are in the order of the starts, as the page says: one that was slow goes before those that began after it. The
// cursor stays on its request, and what the log lets go of leaves the list.
func TestTraffic_OrderOfStarts(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 6})
	u, _ := testUI(d, "mono", 120, 36)
	publish := func(start, length time.Duration) {
		f := d.request("A", "get", "deployments", fmt.Sprint("web-", start), 200, 1)
		f.Start, f.Duration = noon.Add(start), length
		d.log.Publish(f)
	}
	order := func(want ...uint64) {
		t.Helper()
		var got []uint64
		for _, f := range u.traffic().Rows {
			got = append(got, f.Seq)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("rows %v, want %v", got, want)
		}
	}
	publish(0, time.Millisecond)
	publish(2*time.Second, time.Millisecond)
	publish(3*time.Second, time.Millisecond)
	u.fold()
	u.press("k")
	sel := u.Sel
	publish(time.Second, 3*time.Second)
	u.fold()
	order(1, 4, 2, 3)
	mustSee(t, u, "sort start")
	if u.Sel != sel || u.traffic().Rows[u.traffic().Cursor()] != sel {
		t.Errorf("the cursor has left #%d", sel.Seq)
	}
	u.press("*")
	order(1, 4, 2, 3)
	u.press("s", "s", "s", "s", "s")
	order(1, 4, 2, 3)
	publish(-5*time.Hour, time.Millisecond) // the clock was set back
	publish(5*time.Second, time.Millisecond)
	publish(6*time.Second, time.Millisecond)
	u.fold()
	order(4, 2, 3, 5, 6, 7)
}
