// Package memory sets how often the garbage of this process is collected, and gives free memory back to the system.
package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// The room of the heap is how much it may grow between two collections of garbage. The cache and the log of flows
// make the heap large and long-lived, and a tool on a developer's machine should not take much more than they do.
// $GOGC goes before it.
const (
	// leastRoom is the room however little is in use, in bytes. With less of it a server with little in it would spend a
	// tenth of its time on collections while it is written to.
	leastRoom = 16 << 20
	// leastShare is the least room as a part of what is in use, where that is more: a collection looks at all objects,
	// and with a million of them takes a third of a second, however little there is to collect.
	leastShare = 16
	// enoughRoom is the room that a busy server gets at most, if a quarter of what is in use is not more, in bytes; with
	// less in use than that, as much as is in use.
	enoughRoom = 64 << 20
	// gcCost is what part of the machine's time collections may take before they get more room.
	gcCost = 0.05
)

// spared is the room that a command takes at least, if it is more than leastRoom, in bytes.
var spared atomic.Uint64

// Spare takes more room from the next collection on, where time is dearer than memory; 0 takes it no more.
func Spare(bytes uint64) { spared.Store(bytes) }

// leastHeap is what the runtime takes for the least heap at a share of 100 percent, in bytes.
const leastHeap = 4 << 20

// The packages of a command make 12 MB before it begins, and little of that is garbage. This package is initialized before
// nearly all of them, since it imports only what is in Go.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent(leastRoom, 0))
	}
}

// tuned guards that one pacer at most sets the room of the process, however often commands are run in it.
var tuned sync.Once

// Tune lets garbage be collected as often as costs little. The room is computed again after each collection. When
// the program comes to rest, what it does not need goes back.
func Tune() {
	if os.Getenv("GOGC") != "" {
		return
	}
	tuned.Do(func() {
		(&pacer{room: leastRoom}).retune()
		go rest()
	})
}

// A pacer sets how often garbage is collected.
type pacer struct {
	room    uint64 // in bytes
	percent int    // the share that was set last; 0 before
	last    times  // at the last collection
}

// A collected is garbage from the start, so that its cleanup runs after each collection.
type collected struct{ _ *byte }

// retune sets the room for what the last collection left and cost, and waits for the next one.
func (p *pacer) retune() {
	used := sum("/gc/heap/live:bytes", "/gc/scan/globals:bytes", "/gc/scan/stack:bytes")
	p.room = nextRoom(p.room, used, p.cost())
	if percent := gcPercent(p.room, used); differs(percent, p.percent) {
		debug.SetGCPercent(percent)
		p.percent = percent
	}
	runtime.AddCleanup(new(collected), (*pacer).retune, p)
}

// cost is what part of the machine's time collections have taken since it was asked the last time.
func (p *pacer) cost() float64 {
	now, last := readTimes(), p.last
	p.last = now
	return times{now.collecting - last.collecting, now.busy - last.busy, now.had - last.had, now.all - last.all}.cost()
}

// times are what there was of the machine's time, in CPU seconds.
type times struct {
	collecting float64 // collecting garbage, but for what there was nothing better to do
	busy       float64 // doing anything, collections included
	had        float64 // the same as the operating system counts it
	all        float64 // whether used or not
}

func readTimes() times {
	all := seconds("/cpu/classes/total:cpu-seconds")
	return times{
		collecting: seconds("/cpu/classes/gc/total:cpu-seconds") - seconds("/cpu/classes/gc/mark/idle:cpu-seconds"),
		busy:       all - seconds("/cpu/classes/idle:cpu-seconds"),
		had:        ProcessSeconds(),
		all:        all,
	}
}

// cost is what part of all time collections had. The runtime's clock goes on while the system lets other programs
// run, for collections as for everything else: so it gives their part of what the program did, and the system says
// how much that was.
func (t times) cost() float64 {
	const little = 1e-3
	return t.collecting / max(t.busy, little) * t.had / max(t.all, little)
}

// nextRoom goes half of the way to the room in which collections would have cost gcCost, within its bounds: what they
// cost falls as the room grows. Half of the way, since one collection on a busy machine says little.
func nextRoom(room, used uint64, cost float64) uint64 {
	least := float64(max(leastRoom, used/leastShare, spared.Load()))
	most := max(least, float64(min(used, enoughRoom)), float64(used/4))
	wanted := float64(room) * cost / gcCost
	return uint64(min(max(least, (float64(room)+wanted)/2), most))
}

// gcPercent is a room as the runtime wants it: as a share of what is in use, in percent.
func gcPercent(room, used uint64) int {
	return int(max(1, room*100/max(used, leastHeap)))
}

// differs reports whether a share is so far from the one that is set that it is worth to stop the program for a moment.
func differs(percent, set int) bool {
	return set == 0 || max(percent-set, set-percent) > set/8
}

// Every restEvery it is looked whether the program rests: less than restAllocated bytes were allocated since, but more
// than restWorth since memory was given back last.
const (
	restEvery     = 2 * time.Second
	restAllocated = 1 << 20
	restWorth     = 8 << 20
)

// rest collects garbage and gives free memory back to the system whenever the program comes to rest, as after the
// start, and with it what is read of the program's file.
func rest() {
	var given, before uint64
	for range time.Tick(restEvery) {
		allocated := sum("/gc/heap/allocs:bytes")
		if allocated-before < restAllocated && allocated-given > restWorth {
			debug.FreeOSMemory()
			unmapProgram()
			given = allocated
		}
		before = allocated
	}
}

// seconds is a metric of the runtime, in seconds.
func seconds(name string) float64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Float64()
}

// Live is what the last collection of garbage left, in bytes.
func Live() uint64 { return sum("/gc/heap/live:bytes") }

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
