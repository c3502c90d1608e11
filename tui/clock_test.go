package tui

import (
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/tui/page"
)

// A clock that is set by hours while the UI runs leaves every page as it should be, now and in the past: what came last is shown, rates
// count only what comes, and the picture comes to rest.
func TestClock_Set(t *testing.T) {
	for what, jump := range map[string]time.Duration{"forth": 5 * time.Hour, "back": -5 * time.Hour} {
		t.Run(what, func(t *testing.T) {
			d := newDemo(flow.Limits{})
			d.story()
			u, clock := testUI(d, "mono", 120, 36)
			clock.at = clock.at.Add(jump)
			for range 5 {
				clock.at = clock.at.Add(time.Second)
				d.at = clock.at.Add(-time.Second / 5)
				d.write("A", "update", flow.Updated, "behind-the-jump", 3)
				u.fold()
			}
			if s := u.screenText(); !strings.Contains(s, "behind-the-jump") || !strings.Contains(s, " 1 req/s") {
				t.Errorf("Traffic does not show what came last, or not how often:\n%s", s)
			}
			for _, key := range strings.Split("1 2 3 4 5 6 7 8 9 0", " ") {
				u.keys(key)
				for _, moment := range []string{"", "{", "{", "}", "G"} {
					if moment != "" {
						u.keys(moment)
					}
					u.settle()
					for _, size := range [][2]int{{page.MinWidth, page.MinHeight}, {120, 36}} {
						u.resize(size[0], size[1])
						if s := u.screenText(); strings.TrimSpace(s) == "" {
							t.Errorf("page %s is empty at %v", key, size)
						}
					}
				}
			}
			u.keys("1")
			clock.at = clock.at.Add(2 * time.Minute)
			u.fold()
			if u.rate.Alive(clock.at) || u.rate.PerSecond(clock.at) != 0 {
				t.Errorf("the rate does not come to rest: %v", u.rate.Seconds(clock.at))
			}
		})
	}
}
