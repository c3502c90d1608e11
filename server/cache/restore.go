package cache

import (
	"context"

	"kubarium/server/storage"
)

// beginRestore says that a restore is going to be taken over: what Options.Upcoming changes may be ahead of the cache
// now.
func (c *Cache) beginRestore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restoring = make(chan struct{})
}

// endRestore makes everything before a restore as unreadable as a compaction does, and ends all watchers with the
// error that watchers which lag get then: the objects no longer come from what they have seen. Callers that wait see
// all of the restore, since the lock is held until it is in the maps.
func (c *Cache) endRestore(restored storage.Revision) {
	c.restored = restored
	c.head = max(c.head, restored)
	for _, r := range c.resources {
		for w := range r.watchers {
			if !w.crosses {
				w.end(&storage.RevisionError{Err: storage.ErrExpired, Asked: w.told(), Current: restored})
			}
		}
	}
}

// settle ends the waits for the end of a restore, once Options.Settle has returned. Another restore may have begun by
// then.
func (c *Cache) settle(b storage.Batch) {
	c.mu.Lock()
	restoring := c.restoring
	c.mu.Unlock()
	end := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		close(restoring)
		if c.restoring == restoring {
			c.restoring = nil
		}
	}
	if c.o.Settle == nil {
		end()
		return
	}
	go func() {
		defer end()
		c.o.Settle(c.ctx, b)
	}()
}

// told is the revision up to which a watcher has had everything; Cache.mu is held.
func (w *Watcher) told() storage.Revision {
	if w.joined && w.next == w.r.ring.next {
		return max(w.last, w.r.before.head)
	}
	return w.last
}

// Settled returns the newest revision, and what it was when the store was last restored, 0 if it never was. It waits
// for a restore that is being taken over, here and by Options.Settle; there rarely is one. A caller that notes head
// before it reads anything, and finds afterwards that restored is not above it, has read on one side of a restore
// only. Errors: the context's.
func (c *Cache) Settled(ctx context.Context) (head, restored storage.Revision, err error) {
	for {
		c.mu.Lock()
		head, restored := c.head, c.restored
		restoring := c.restoring
		c.mu.Unlock()
		if restoring == nil {
			return head, restored, nil
		}
		select {
		case <-restoring:
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
}

// Restored returns the head when the store was last restored, as far as the objects here are concerned; 0 if it never
// was.
func (c *Cache) Restored() storage.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restored
}

// crossed reports whether a watcher of the resource lives on through restores. The history has none of their changes,
// so that the ring must hold all of them.
func (r *resource) crossed() bool {
	for w := range r.watchers {
		if w.crosses {
			return true
		}
	}
	return false
}

// CrossRestores lets a watcher go on through restores, whose changes it gets like all others.
func (w *Watcher) CrossRestores() {
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	w.crosses = true
}
