package tui

import (
	"strings"
	"testing"
	"time"

	"kubarium/flow"
)

// Why a watch ended is on the screen, however long the name of its stream is.
func TestWatches_EndCause(t *testing.T) {
	d := newDemo(flow.Limits{})
	f := d.request("k1", "watch", strings.Repeat("long", 12), "", 200, 1)
	f.Phase = flow.WatchOpened
	f.Watch = d.log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Opened: d.at})
	d.log.Publish(f)
	u, _ := testUI(d, "mono", 80, 24)
	f.Watch.Close(time.Now(), "the connection was cut at the gate")
	u.fold()
	u.keys("2")
	mustSee(t, u, "ended: the connection was cut at the gate")
}
