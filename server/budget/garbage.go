package budget

import (
	"runtime"
	gometrics "runtime/metrics"
	"sync"
)

// garbageRoom is how much is allocated between two collections while large bodies are worked on, in bytes. They may make many
// times their own size of garbage; with a large heap the runtime would wait until it has grown by a good part of all that is
// cached.
const garbageRoom = 12 << 20

// A garbage is what has been allocated since the last collection, whoever asked for that.
type garbage struct {
	mu     sync.Mutex // held while it is collected: who would make more waits
	cycles uint64     // collections that there had been when it was looked at the last time
	since  uint64     // bytes that had been allocated when cycles was found to have changed
}

// made is that of this process: all requests share one heap.
var made garbage

// CollectGarbage is called by those who make much of it, every now and then.
func CollectGarbage() {
	made.mu.Lock()
	defer made.mu.Unlock()
	allocated, cycles := allocations()
	if cycles == made.cycles && allocated-made.since > garbageRoom {
		runtime.GC()
		allocated, cycles = allocations()
	}
	if cycles != made.cycles {
		made.cycles, made.since = cycles, allocated
	}
}

// allocations tells how many bytes this process has ever allocated, and how often garbage was collected.
func allocations() (bytes, cycles uint64) {
	samples := [...]gometrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	gometrics.Read(samples[:])
	return samples[0].Value.Uint64(), samples[1].Value.Uint64()
}
