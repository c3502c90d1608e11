package term_test

import (
	"testing"
	"time"

	"kubarium/tui/term"
)

// After a change of the clock the newest second has no other events, and the sparkline becomes empty again.
func TestRate_ClockSet(t *testing.T) {
	for what, jump := range map[string]time.Duration{"not at all": 0, "forth": 5 * time.Hour, "back": -5 * time.Hour,
		"back a little": -3 * time.Second} {
		now := time.Unix(1_800_000_000, 0)
		var r term.Rate
		total := uint64(0)
		second := func(events uint64) {
			total += events
			r.Count(now, total)
			now = now.Add(time.Second)
		}
		r.Count(now, 0)
		for range 10 {
			second(7)
		}
		now = now.Add(jump)
		for range 5 {
			second(7)
			if got := r.PerSecond(); got != 7 {
				t.Errorf("%s: %d a second, want 7", what, got)
			}
		}
		for range term.RateCells {
			second(0)
		}
		if r.Alive(now) {
			t.Errorf("%s: the picture does not come to rest: %v", what, r.Bucket)
		}
	}
}
