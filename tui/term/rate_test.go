package term_test

import (
	"slices"
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
		second := func(events int) {
			for range events {
				r.Count(now, now)
			}
			now = now.Add(time.Second)
		}
		for range 10 {
			second(7)
		}
		now = now.Add(jump)
		for range 5 {
			second(7)
			if got := r.PerSecond(now); got != 7 {
				t.Errorf("%s: %d a second, want 7", what, got)
			}
		}
		for range term.RateCells {
			second(0)
		}
		if r.Alive(now) {
			t.Errorf("%s: the picture does not come to rest: %v", what, r.Seconds(now))
		}
	}
}

// Events count in the second in which they happened, however late they are read.
func TestRate_Late(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	var r term.Rate
	for i := range 1000 {
		r.Count(now, now.Add(-time.Minute+time.Duration(i)*time.Millisecond))
	}
	r.Count(now, now.Add(-5*time.Second))
	r.Count(now, now.Add(time.Second)) // by another clock
	got, want := r.Seconds(now), []uint64{0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	if !slices.Equal(got, want) || r.PerSecond(now) != 1 {
		t.Errorf("%v, %d a second; want %v", got, r.PerSecond(now), want)
	}
}
