package budget

import (
	"runtime/debug"
	"sync"
	"testing"
)

// kept keeps the compiler from leaving allocations out.
var kept [4][]byte

// Garbage is collected as it is made even if the runtime would never do it, and no oftener however many make it.
func TestCollectGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const piece, pieces = 256 << 10, 400
	for _, workers := range []int{1, 4} {
		CollectGarbage()
		_, before := allocations()
		var all sync.WaitGroup
		for i := range workers {
			all.Go(func() {
				for range pieces / workers {
					kept[i] = make([]byte, piece)
					CollectGarbage()
				}
			})
		}
		all.Wait()
		_, after := allocations()
		const most = piece * pieces / garbageRoom
		if got := after - before; got < most/2 || got > most+1 {
			t.Errorf("%d workers: %d collections of %d MiB of garbage, want %d", workers, got, piece*pieces>>20, most)
		}
	}
}
