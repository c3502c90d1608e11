package tui

import (
	"strings"
	"testing"
	"time"

	"kubarium/server/flow"
)

// A watch that wanted to begin at what is compacted says so on its lane, and that its client has to list again.
func TestWatches_Expired(t *testing.T) {
	d := newDemo(flow.Limits{})
	w := d.watch("old", "pods", 90)
	w.Wrote(flow.Frame{Type: "ERROR", Size: 200, Written: d.at})
	w.Close(noon, "revision 90: expired (4096)")
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("2")
	mustSee(t, u, "✗ 410: rv 90 < compacted 4096", "✗ 410 Gone", "a new list", "the client lists again")
}

// The time that a watch took fits its column, whatever it is.
func TestTraffic_WatchTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		98*time.Millisecond + 600*time.Microsecond: "98.6", 100 * time.Millisecond: "100", 9999 * time.Millisecond: "9 999",
		42 * time.Second: "42 s", 59 * time.Minute: "59min", 7 * time.Hour: "7 h",
	} {
		if got := strings.ReplaceAll(runMillis(d), "\u202f", " "); got != want || text(sPlain, got).width() > 5 {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
