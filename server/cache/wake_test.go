package cache_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// Many watchers are woken in groups, while changes come faster than that goes and some of the watchers end; each of the
// others gets every change once and in order, the last one too, after which nothing wakes them.
func TestWatcher_Next_many(t *testing.T) {
	s := &batching{Store: openStore(t)}
	c := newCache(t, s, cache.Options{})
	rec := mustCreate(t, s, "a", -1)
	s.flush()
	first := rec.Revision
	const watchers, changes = 200, 100
	got := make([][]*cache.Event, watchers)
	var all sync.WaitGroup
	for i := range watchers {
		w := mustWatch(t, c, first)
		last := first + changes
		if i%3 == 0 {
			last = first + changes/2
		}
		all.Go(func() {
			defer w.Stop()
			var err error
			if got[i], err = until(w, last); err != nil {
				t.Error(err)
			}
		})
	}
	for i := range changes {
		rec = mustUpdate(t, s, rec, i)
	}
	for _, ch := range s.got {
		s.fn(storage.Batch{Changes: []storage.Change{ch}, Head: ch.Revision})
		runtime.Gosched() // as the waking does, so that this change and the next meet it under way
	}
	all.Wait()
	want := logged(t, s, first)
	for i, events := range got {
		rs := revisions(events)
		if len(rs) < changes/2 || i%3 != 0 && len(rs) != changes || fmt.Sprint(rs) != fmt.Sprint(want[:len(rs)]) {
			t.Fatalf("watcher %d got %d events: %v", i, len(rs), rs)
		}
	}
}
