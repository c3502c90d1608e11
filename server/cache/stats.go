package cache

import (
	"cmp"
	"slices"
	"time"

	"kubarium/server/storage"
)

// Stats say what the cache holds at a moment.
type Stats struct {
	At        time.Time
	Head      storage.Revision
	Resources []ResourceStats // those in use, by name
	Slow      int             // watchers ended as too slow since the cache was made, of resources dropped since too
	Forms     int             // encoded forms of objects kept
	FormBytes int64
}

// ResourceStats are the Stats of one resource.
type ResourceStats struct {
	Resource  string
	Filled    bool  // false while the first read is under way
	Objects   int   // in the newest version
	Bytes     int64 // of their values
	Watchers  int   // open now
	Slow      int   // ended as too slow
	Ring      int   // changes held
	RingBytes int64 // of their values and forms
}

// Stats returns what the cache holds now.
func (c *Cache) Stats() Stats {
	s := Stats{At: c.o.Now()}
	s.Forms, s.FormBytes = c.forms.usage()
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Head, s.Slow = c.head, c.slow
	for _, r := range c.resources {
		s.Resources = append(s.Resources, r.stats())
	}
	slices.SortFunc(s.Resources, func(a, b ResourceStats) int { return cmp.Compare(a.Resource, b.Resource) })
	return s
}

func (r *resource) stats() ResourceStats {
	s := ResourceStats{
		Resource:  r.name,
		Filled:    r.ready,
		Bytes:     r.bytes,
		Watchers:  len(r.watchers),
		Slow:      r.slow,
		Ring:      len(r.ring.events),
		RingBytes: r.ring.bytes.Load(),
	}
	if r.ready {
		s.Objects = r.objects.Len()
	}
	return s
}
