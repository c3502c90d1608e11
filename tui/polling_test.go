package tui

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
)

// The list of a large log lets go of what the log has let go of: of polling within a second, of others at once. The
// rows are those that a new screen shows.
func TestTraffic_Polling(t *testing.T) {
	d := newDemo(flow.Limits{Flows: 4000})
	u, clock := testUI(d, "mono", 120, 36)
	frame := func(n int, name func(i int) string) {
		for i := range n {
			f := d.request("go1", "get", "deployments", name(i), 200, float64(1+i%3*300))
			f.Client.UserAgent, f.Client.Session = "manager", ""
			d.log.Publish(f)
		}
		clock.at = clock.at.Add(600 * time.Millisecond)
		u.fold()
	}
	number := 0
	fresh := func(int) string { number++; return fmt.Sprint("web-", number) }
	poll := func(int) string { return "polled" }
	same := func() {
		t.Helper()
		clock.at = clock.at.Add(time.Second)
		frame(1, fresh)
		again, _ := testUI(d, "mono", 120, 36)
		got, want := u.traffic(), again.traffic()
		if fmt.Sprint(flowSeqs(got.Passed)) != fmt.Sprint(flowSeqs(want.Passed)) {
			t.Errorf("%d pass, want %d", len(got.Passed), len(want.Passed))
		}
		if fmt.Sprint(flowSeqs(got.Rows)) != fmt.Sprint(flowSeqs(want.Rows)) {
			t.Errorf("%d rows, want %d", len(got.Rows), len(want.Rows))
		}
	}
	frame(3700, fresh)
	same()
	for range 5 {
		frame(900, poll)
	}
	same()
	if s := d.log.Stats(); s.EvictedRepeated < 4000 || s.Evicted != s.EvictedRepeated {
		t.Errorf("%+v", s)
	}
	for range 5 {
		frame(300, fresh)
	}
	same()
	if got := u.live.Log.Get(1); got != nil {
		t.Error("the first request is still kept")
	}
}

func flowSeqs(flows []*flow.Flow) (all []uint64) {
	for _, f := range flows {
		all = append(all, f.Seq)
	}
	return all
}
