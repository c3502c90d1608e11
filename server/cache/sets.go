package cache

import (
	"hash/maphash"
	"maps"
	"sync/atomic"
)

// sets lets objects with equal labels, or equal fields, share one map: a map costs some 500 bytes, and the objects of
// one owner mostly have the same. It remembers one set per slot, the latest, so it is bounded and takes no lock.
type sets struct {
	seed  maphash.Seed
	slots [2048]atomic.Pointer[map[string]string]
}

func newSets() *sets { return &sets{seed: maphash.MakeSeed()} }

// share returns an equal set seen before, or else the set itself; nil for an empty one.
func (s *sets) share(set map[string]string) map[string]string {
	if len(set) == 0 {
		return nil
	}
	slot := &s.slots[s.hash(set)%uint64(len(s.slots))]
	if p := slot.Load(); p != nil && maps.Equal(*p, set) {
		return *p
	}
	slot.Store(&set)
	return set
}

// hash is the same in whatever order the map is walked.
func (s *sets) hash(set map[string]string) (sum uint64) {
	for k, v := range set {
		sum += maphash.Comparable(s.seed, [2]string{k, v})
	}
	return sum
}
