package app

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// gcPercent keeps the heap close to what is in use: the log of flows and the cache make it large and long-lived, and a
// tool on somebody's desk should not take twice that. $GOGC goes before it.
const gcPercent = 50

// gcRoom is how many bytes may be allocated between two collections however little is in use. With the 8 MiB that
// gcPercent alone leaves a server with little in it, writes would spend a tenth of their time on collections.
const gcRoom = 16 << 20

// gcLeast is what the runtime takes for the least heap at a share of 100 percent, in bytes.
const gcLeast = 4 << 20

// tuneMemory sets how often garbage is collected: when the heap has grown by gcPercent, or by gcRoom if that is more.
// The share is reckoned anew after each collection. When the program comes to rest, what it does not need goes back.
func tuneMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	retune(new(int))
	go rest()
}

// A collected is garbage from the start, so that its cleanup runs after each collection.
type collected struct{ _ *byte }

// retune sets the share for what the last collection left, and waits for the next one. set is what it was set to.
func retune(set *int) {
	percent := gcShare(sum("/gc/heap/live:bytes", "/gc/scan/globals:bytes", "/gc/scan/stack:bytes"))
	if percent != *set {
		debug.SetGCPercent(percent)
		*set = percent
	}
	runtime.AddCleanup(new(collected), retune, set)
}

// gcShare is the share by which what is in use may grow, in percent and in steps so coarse that it seldom changes.
func gcShare(used uint64) int {
	const step = 25
	percent := gcRoom * 100 / max(used, gcLeast)
	return int(max(gcPercent, percent/step*step))
}

// Every restEvery it is looked whether the program rests: less than restAllocated bytes were allocated since, but more
// than restWorth and a quarter of what is in use since memory was given back last.
const (
	restEvery     = 2 * time.Second
	restAllocated = 1 << 20
	restWorth     = 8 << 20
)

// rest collects garbage and gives free memory back to the system whenever the program comes to rest, as behind the start.
func rest() {
	var given, before uint64
	for range time.Tick(restEvery) {
		allocated := sum("/gc/heap/allocs:bytes")
		if allocated-before < restAllocated && allocated-given > max(restWorth, sum("/gc/heap/live:bytes")/4) {
			debug.FreeOSMemory()
			given = allocated
		}
		before = allocated
	}
}

// sum adds up metrics of the runtime, in bytes.
func sum(names ...string) (total uint64) {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	for _, s := range samples {
		total += s.Value.Uint64()
	}
	return total
}
