package tui

import (
	"fmt"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/term"
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
			u.filter.edit = &term.LineEdit{}
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

// BenchmarkPages is a data frame on each screen at 5,000 requests a second, a third of them writes, with a full log, many
// objects and 1,000 watchers that are each sent what is written. What a key costs there is that at most.
func BenchmarkPages(b *testing.B) {
	d := newDemo(flow.Limits{})
	var streams []*flow.Watch
	for i := range 1000 {
		streams = append(streams, d.watch(fmt.Sprint("w", i), "deployments", d.rv))
	}
	n := 0
	publish := func(count int) {
		for range count {
			n++
			switch name := fmt.Sprint("web-", n%3000); n % 12 {
			case 0, 1, 2:
				d.write("A", "update", flow.Updated, name, n%7)
			case 3:
				f := d.refused()
				f.Target.Name = name
				d.log.Publish(f)
			case 4:
				d.log.Publish(paged(d.request("k1", "list", "deployments", "", 200, 0.6)))
			case 5:
				d.write("A", "delete", flow.Deleted, name, 1)
			default:
				d.log.Publish(d.request("k1", "get", "deployments", name, 200, 0.6))
			}
		}
		for i, w := range streams {
			if i%2 == 1 {
				continue // one that falls ever further behind
			}
			w.Wrote(flow.Frame{Type: "MODIFIED", Revision: d.rv, Name: "web", Namespace: "default", Size: 600, Committed: d.at, Written: d.at})
			w.Reached(d.rv, 0)
		}
	}
	for range 100 {
		publish(500)
	}
	for _, key := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "i"} {
		b.Run(key, func(b *testing.B) {
			u, _ := testUI(d, "dark", 120, 36)
			u.keys(key)
			u.view()
			longest := time.Duration(0)
			u.fold()
			u.view()
			for b.Loop() {
				b.StopTimer()
				publish(500)
				b.StartTimer()
				start := time.Now()
				u.fold()
				u.view()
				longest = max(longest, time.Since(start))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
		})
	}
}

// BenchmarkCatchUp is the first frame over a full log, and the one after a screen that was frozen for long.
func BenchmarkCatchUp(b *testing.B) {
	d := newDemo(flow.Limits{})
	for i := range 50_000 {
		if i%3 == 0 {
			d.write("A", "update", flow.Updated, fmt.Sprint("web-", i%3000), i%7)
			continue
		}
		d.log.Publish(d.request("k1", "get", "deployments", fmt.Sprint("web-", i), 200, 0.6))
	}
	for b.Loop() {
		u, _ := testUI(d, "dark", 120, 36)
		u.view()
	}
}

// BenchmarkLargeLog is what takes long with a full log of 512 MiB of small requests: the longest data frame at 5,000
// requests a second, of all sorts or of polling alone, a filter, a moment, and a key.
func BenchmarkLargeLog(b *testing.B) {
	d := newDemo(flow.Limits{Bytes: 512 << 20})
	n := 0
	publish := func(count int, polls bool) {
		for range count {
			n++
			d.at = d.at.Add(200 * time.Microsecond)
			f := &flow.Flow{Method: "GET", Path: fmt.Sprint("/api/v1/namespaces/default/pods/web-", n), Proto: "HTTP/1.1",
				Start: d.at, Duration: 100 * time.Microsecond, Status: 200, Client: flow.Client{Tag: "k1", UserAgent: "manager"},
				Target: flow.Target{Verb: "get", Version: "v1", Resource: "pods", Namespace: "default", Name: "web"}}
			if polls {
				f.Path = "/api/v1/namespaces/default/pods/web"
			}
			d.log.Publish(f)
		}
	}
	publish(600_000, false)
	u, clock := testUI(d, "dark", 120, 36)
	u.settle()
	b.Logf("%d requests", d.log.Stats().Flows)
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"frame", func() { publish(500, false); u.fold(); u.view() }},
		{"polling", func() { publish(500, true); u.fold(); u.view() }},
		{"key", func() { u.keys("k"); u.view() }},
		{"filter", func() { u.applyFilter(fmt.Sprint("code:409|dur:>", n, "ms")); u.settle() }},
		{"frame with filter", func() { publish(500, false); u.fold(); u.view() }},
		{"moment", func() { d.log.Until(4000, d.at) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			longest := time.Duration(0)
			for b.Loop() {
				clock.at = clock.at.Add(100 * time.Millisecond)
				began := time.Now()
				c.do()
				longest = max(longest, time.Since(began))
			}
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
		})
	}
}
