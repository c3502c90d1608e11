package flow_test

import (
	"testing"
	"testing/synctest"
	"time"

	"kubarium/flow"
)

// Watches that ended some time ago are dropped even if no reader asks for watches, as on a server without a UI. Open
// ones stay.
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
