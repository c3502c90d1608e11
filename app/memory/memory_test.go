package memory_test

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"kubarium/app/memory"
)

// The room between two collections grows while they cost more than a little, as far as its bounds allow, and shrinks
// when they cost less.
func TestNextRoom(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		what       string
		room, used uint64 // MiB
		cost       float64
		want       uint64 // MiB
	}{
		{"nothing happens", 16, 200, 0, 16},
		{"as it should be", 32, 200, 0.05, 32},
		{"three times as dear", 16, 120, 0.15, 32},
		{"half as dear", 64, 200, 0.025, 48},
		{"quiet after a storm", 100, 200, 0, 50},
		{"and still", 26, 200, 0, 16},
		{"as much as is in use is the most", 64, 60, 0.5, 60},
		{"but no more than enough", 64, 120, 0.5, 64},
		{"unless that is little", 64, 1000, 0.5, 250},
		{"a large heap at rest", 16, 1600, 0, 100},
		{"a small heap", 16, 10, 0.5, 16},
		{"a heap that has shrunk", 100, 60, 0.05, 60},
	} {
		if got := memory.NextRoom(tt.room*mib, tt.used*mib, tt.cost); (got+mib/2)/mib != tt.want {
			t.Errorf("%s: %d MiB, want %d", tt.what, got>>20, tt.want)
		}
	}
}

// Collections cost the same on a machine that other programs keep busy as on a quiet one.
func TestGCCost(t *testing.T) {
	quiet := memory.GCCost(0.1, 0.4, 0.4, 2)
	crowded := memory.GCCost(0.5, 2, 0.4, 2) // every step takes five times as long by the clock
	if quiet != crowded || quiet < 0.0499 || quiet > 0.0501 {
		t.Errorf("%v and %v, want 0.05", quiet, crowded)
	}
	if got := memory.GCCost(0, 0, 0, 0); got != 0 {
		t.Errorf("no time at all: %v", got)
	}
}

// The runtime is told the room as a share, and only when it has changed enough.
func TestGCPercent(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		room, used uint64
		want       int
	}{{16, 0, 400}, {16, 4, 400}, {16, 32, 50}, {16, 200, 8}, {100, 200, 50}, {16, 4096, 1}} {
		if got := memory.GCPercent(tt.room*mib, tt.used*mib); got != tt.want {
			t.Errorf("%d MiB of %d: %d percent, want %d", tt.room, tt.used, got, tt.want)
		}
	}
	for _, tt := range []struct {
		percent, set int
		want         bool
	}{{50, 0, true}, {50, 50, false}, {50, 48, false}, {40, 50, true}, {8, 7, true}, {100, 90, false}} {
		if got := memory.GCDiffers(tt.percent, tt.set); got != tt.want {
			t.Errorf("%d after %d percent: %v", tt.percent, tt.set, got)
		}
	}
}

// A command has the least room from before its first line.
func TestRoomAtStart(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("the room is set by GOGC")
	}
	share := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	if metrics.Read(share); share[0].Value.Uint64() != 400 {
		t.Errorf("%d percent, want 400", share[0].Value.Uint64())
	}
}

var kept [][]byte

// The share follows the heap as it grows and shrinks. A process is tuned once and for good, so that this needs one of its own.
func TestTuneMemory(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestTuneMemory_child$", "-test.v")
	cmd.Env = append(os.Environ(), "KUBARIUM_TEST_TUNED=1", "GOGC=")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestTuneMemory_child") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestTuneMemory_child is what TestTuneMemory runs.
func TestTuneMemory_child(t *testing.T) {
	if os.Getenv("KUBARIUM_TEST_TUNED") == "" {
		t.Skip("not the process of TestTuneMemory")
	}
	memory.Tune()
	memory.Tune() // a second command of the process changes nothing
	share := func(good func(percent int) bool) {
		t.Helper()
		for range 200 {
			runtime.GC()
			time.Sleep(5 * time.Millisecond)
			told := []metrics.Sample{{Name: "/gc/gogc:percent"}}
			if metrics.Read(told); good(int(told[0].Value.Uint64())) {
				return
			}
		}
		t.Error("the share does not follow")
	}
	for range 64 {
		kept = append(kept, make([]byte, 1<<20))
	}
	share(func(percent int) bool { return percent <= 50 })
	kept = nil
	share(func(percent int) bool { return percent > 50 })
}
