package app_test

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"kubarium/app"
)

// A small heap may grow by a fixed room, a large one by half of it.
func TestGCShare(t *testing.T) {
	for _, tt := range []struct {
		used uint64
		want int
	}{{0, 400}, {4 << 20, 400}, {8 << 20, 200}, {10 << 20, 150}, {16 << 20, 100}, {30 << 20, 50}, {200 << 20, 50}} {
		if got := app.GCShare(tt.used); got != tt.want {
			t.Errorf("%d MiB in use: %d percent, want %d", tt.used>>20, got, tt.want)
		}
	}
}

var kept [][]byte

// The share follows the heap as it grows and shrinks.
func TestTuneMemory(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	app.TuneMemory()
	share := func(good func(percent int) bool) {
		t.Helper()
		for range 200 {
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
			percent := debug.SetGCPercent(100)
			debug.SetGCPercent(percent)
			if good(percent) {
				return
			}
		}
		t.Error("the share does not follow")
	}
	for range 64 {
		kept = append(kept, make([]byte, 1<<20))
	}
	share(func(percent int) bool { return percent == 50 })
	kept = nil
	share(func(percent int) bool { return percent > 50 })
}
