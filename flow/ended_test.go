package flow_test

import (
	"testing"
	"testing/synctest"
	"time"

	"kubarium/flow"
)

// Watches that ended a while ago are forgotten though nobody ever asks for watches: a server without a UI would remember
// all of them. Those that are open stay.
func TestLog_forgetsEndedWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := flow.NewLog(flow.Limits{})
		open := l.OpenWatch(flow.WatchInfo{})
		const each = 2000
		fill := func() {
			for range each {
				w := l.OpenWatch(flow.WatchInfo{})
				for range 256 {
					w.Wrote(flow.Frame{Type: "ADDED"})
				}
				w.Close(time.Now(), "timeout")
			}
		}
		fill()
		before := heap()
		for range 5 {
			time.Sleep(3 * time.Minute)
			fill()
		}
		if grown := heap() - before; grown > 32<<20 { // one round is 64 MiB
			t.Errorf("%d KiB more after five rounds more", grown>>10)
		}
		if ws := l.Watches(time.Hour); len(ws) > 3*each || ws[0] != open {
			t.Errorf("%d watches, the first is %+v", len(ws), ws[0].WatchInfo)
		}
	})
}
