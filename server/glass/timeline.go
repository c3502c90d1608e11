package glass

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"kubarium/flow"
)

// A timeline brings changes that were seen on several streams into the order of their revisions, in which a log takes
// them. Each waits a moment for earlier ones; one that comes after later ones were handed on is not on the timeline.
type timeline struct {
	log *flow.Log

	mu      sync.Mutex // guards the rest
	waiting []flow.Commit
	newest  int64 // that was handed on
}

// settle is how long a change waits.
const settle = 100 * time.Millisecond

func newTimeline(log *flow.Log) *timeline { return &timeline{log: log} }

// add takes a change.
func (t *timeline) add(c flow.Commit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.Revision <= t.newest {
		return
	}
	t.waiting = append(t.waiting, c)
	if len(t.waiting) == 1 {
		time.AfterFunc(settle, t.flush)
	}
}

// flush hands on what waits.
func (t *timeline) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.waiting, func(a, b flow.Commit) int { return cmp.Compare(a.Revision, b.Revision) })
	all := slices.CompactFunc(t.waiting, func(a, b flow.Commit) bool { return a.Revision == b.Revision })
	t.waiting, t.newest = nil, all[len(all)-1].Revision
	t.log.Committed(all...)
}
