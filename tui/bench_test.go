package tui

import (
	"fmt"
	"testing"
	"time"

	"kubarium/server/flow"
)

// BenchmarkFoldView is one data frame at 5,000 requests a second and ten frames a second: 500 records folded and the
// screen drawn, with a full log behind it. The budget of a frame is 3 ms.
func BenchmarkFoldView(b *testing.B) {
	for _, filtered := range []string{"", "verb:get code:200"} {
		b.Run("filter="+filtered, func(b *testing.B) {
			d := newDemo(flow.Limits{})
			for i := range 50_000 {
				d.log.Publish(d.request("k1", "get", "deployments", fmt.Sprint("web-", i), 200, 0.6))
			}
			u, _ := testUI(d, "dark", 120, 36)
			u.filter.edit = &lineEdit{}
			u.filterKey("esc")
			u.applyFilter(filtered)
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				for i := range 500 {
					d.log.Publish(d.request("k1", "get", "deployments", fmt.Sprint("web-", i), 200, 0.6))
				}
				b.StartTimer()
				u.fold()
				u.view()
			}
		})
	}
}

// BenchmarkKey is a key pressed over a full log: the cursor moves and the screen is drawn.
func BenchmarkKey(b *testing.B) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "dark", 120, 36)
	for b.Loop() {
		u.key("k")
		u.view()
		u.key("j")
	}
}

// BenchmarkFoldGrouped is a data frame as in BenchmarkFoldView, of kubectl runs of five requests that are one line each,
// in the frame of each second that folds the runs anew.
func BenchmarkFoldGrouped(b *testing.B) {
	d := newDemo(flow.Limits{})
	n := 0
	publish := func(count int) {
		for range count {
			f := d.request("k1", "get", "deployments", "web", 200, 0.6)
			f.Client.Session = fmt.Sprint("run-", n/5)
			n++
			d.log.Publish(f)
		}
	}
	publish(50_000)
	u, clock := testUI(d, "dark", 120, 36)
	u.traffic.group(true)
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		publish(500)
		clock.at = clock.at.Add(time.Second)
		b.StartTimer()
		u.fold()
		u.view()
	}
}
