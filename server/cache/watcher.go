package cache

import (
	"cmp"
	"context"
	"errors"

	"kubarium/server/storage"
)

// batchLimit is how many events Next returns at most, and how many changes it reads from the store at a time.
const batchLimit = 500

// A Watcher is a position in the changes of one resource. Next is for one goroutine at a time; the other methods may
// be called by any. The caller that opened it must call Stop.
type Watcher struct {
	r *resource

	// Cache.mu guards the rest.
	// last is the revision up to which every change of the resource has been delivered.
	last storage.Revision
	// joined: the next change is the ring's with the number next. Otherwise it has to be read from the store.
	joined bool
	next   uint64
	// counted: next is right even though the watcher may have left the ring. It is not before the first join.
	counted bool
	opened  uint64 // the ring's end when the watcher began; what came before does not make it slow
	crosses bool   // it lives on through restores
	err     error  // why it ended
	done    chan struct{}
}

// Watch returns a watcher of every change of the resource with a revision above after, each once and in order. after
// may lie above the head: then nothing up to it is delivered. Errors: *storage.RevisionError of ErrExpired if changes
// above after have been compacted; those of the store when it fills, and why it has ended.
func (c *Cache) Watch(ctx context.Context, name string, after storage.Revision) (*Watcher, error) {
	if _, compacted := c.store.Head(); after < compacted {
		return nil, &storage.RevisionError{Err: storage.ErrExpired, Asked: after, Current: compacted}
	}
	var expired error
	w, err := c.watch(ctx, name, func(r *resource) *Watcher {
		if after < c.restored {
			expired = &storage.RevisionError{Err: storage.ErrExpired, Asked: after, Current: c.restored}
			return nil
		}
		return r.open(after)
	})
	if expired != nil {
		return nil, expired
	}
	return w, err
}

// SnapshotAndWatch returns a snapshot and a watcher that begins exactly after it. Errors are those of Snapshot, and
// why the store has ended.
func (c *Cache) SnapshotAndWatch(ctx context.Context, name string, min storage.Revision) (*Snapshot, *Watcher, error) {
	if err := c.Wait(ctx, min); err != nil {
		return nil, nil, err
	}
	var s *Snapshot
	w, err := c.watch(ctx, name, func(r *resource) *Watcher {
		s = r.snapshot()
		return r.open(s.revision)
	})
	return s, w, err
}

func (c *Cache) watch(ctx context.Context, name string, open func(*resource) *Watcher) (w *Watcher, err error) {
	var ended error
	err = c.with(ctx, name, func(r *resource) {
		if ended = c.ended; ended == nil {
			w = open(r)
		}
	})
	return w, cmp.Or(err, ended)
}

// open makes a watcher after a revision.
func (r *resource) open(after storage.Revision) *Watcher {
	w := &Watcher{r: r, last: after, opened: r.ring.next, done: make(chan struct{})}
	w.join()
	r.watchers[w] = struct{}{}
	return w
}

// join enters the ring if that holds all that the watcher still needs.
func (w *Watcher) join() {
	if w.last < w.r.ring.floor {
		return
	}
	w.next = w.r.ring.after(w.last)
	w.joined, w.counted = true, true
}

// Next returns the next events, at least one and at most a few hundred, and blocks until there are any. The slice is
// the caller's, the events are shared. Errors end the watcher, except the context's: ErrSlow, ErrDropped, ErrStopped,
// ErrClosed, *storage.RevisionError of ErrExpired when what it still needs has been compacted, and why the store has
// ended.
func (w *Watcher) Next(ctx context.Context) ([]*Event, error) {
	for {
		events, poke, err := w.take()
		if err == nil && events == nil && poke == nil {
			events, err = w.readGap(ctx)
		}
		if err != nil || len(events) > 0 {
			return events, err
		}
		if poke == nil {
			continue
		}
		select {
		case <-poke:
		case <-w.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns what the ring has for the watcher, or the poke to wait for. It returns nothing at all when the watcher
// has to read from the store.
func (w *Watcher) take() ([]*Event, <-chan struct{}, error) {
	c := w.r.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.err == nil && w.tooSlow() {
		w.end(ErrSlow)
	}
	if w.err != nil {
		return nil, nil, w.err
	}
	if w.joined && w.next < w.r.ring.first() {
		w.leave()
	}
	if !w.joined {
		return nil, nil, nil
	}
	held := w.r.ring.from(w.next, batchLimit)
	w.next += uint64(len(held))
	events := make([]*Event, 0, len(held))
	for _, e := range held {
		if e.Revision > w.last {
			events = append(events, e)
			w.last = e.Revision
		}
	}
	switch {
	case len(events) > 0:
		return events, nil, nil
	case w.next < w.r.ring.next:
		return nil, closedChannel, nil
	}
	return nil, w.r.pokes.await(), nil
}

// closedChannel is a poke that has come already.
var closedChannel = func() chan struct{} {
	ch := make(chan struct{})
	close(ch)
	return ch
}()

// leave takes a watcher out of the ring, which no longer has its next change. One that had everything before the
// latest batch needs nothing older than that batch, whatever has been compacted since its last event.
func (w *Watcher) leave() {
	w.joined = false
	if w.next >= w.r.before.next {
		w.last = max(w.last, w.r.before.head)
	}
}

// readGap reads the next changes from the store's history, and enters the ring again when it has come so far.
func (w *Watcher) readGap(ctx context.Context) ([]*Event, error) {
	c := w.r.cache
	from, head := w.gap()
	changes, err := c.store.Changes(ctx, w.r.name, from, batchLimit)
	if err != nil {
		return nil, w.fail(ctx, err)
	}
	exhausted := len(changes) < batchLimit
	events := make([]*Event, 0, len(changes))
	for _, ch := range changes {
		if ch.Revision > head { // not followed yet: the ring will have it
			exhausted = true
			break
		}
		ch.Key.Resource = w.r.name
		events = append(events, w.r.event(followed{change: ch, object: c.after(ch)}, nil))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if n := len(events); n > 0 {
		w.last = events[n-1].Revision
		w.next += uint64(n)
	}
	if exhausted {
		w.last = max(w.last, head)
	}
	w.join()
	return events, nil
}

// gap returns the revision after which to read, and the one up to which the ring is known.
func (w *Watcher) gap() (from, head storage.Revision) {
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	return w.last, w.r.cache.head
}

// fail ends the watcher with an error of the store, unless only the caller's context has ended.
func (w *Watcher) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, storage.ErrExpired) {
		return ctx.Err()
	}
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	w.end(err)
	return w.err
}

// tooSlow: more changes came since the watcher began, the latest batch left out, than it may lag.
func (w *Watcher) tooSlow() bool {
	seen := max(w.next, w.opened)
	return w.counted && w.r.before.next > seen && w.r.before.next-seen > uint64(w.r.cache.o.MaxLag)
}

// end ends the watcher with an error; the first one stays.
func (w *Watcher) end(err error) {
	if w.err != nil {
		return
	}
	w.err = err
	close(w.done)
	delete(w.r.watchers, w)
	if err == ErrSlow {
		w.r.slow++
		w.r.cache.slow++
	}
}

// Stop ends the watcher; a Next that waits returns ErrStopped. It may be called more than once.
func (w *Watcher) Stop() {
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	w.end(ErrStopped)
}

// Done is closed when the watcher has ended, for a caller that is busy elsewhere than in Next.
func (w *Watcher) Done() <-chan struct{} { return w.done }

// Position returns the revision up to which every change of the store has been delivered or does not concern the
// resource; it moves with the head while the watcher is up to date. A bookmark may say it.
func (w *Watcher) Position() storage.Revision {
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	return w.position()
}

// position is Position; Cache.mu is held.
func (w *Watcher) position() storage.Revision {
	if w.err == nil && w.joined && w.next == w.r.ring.next {
		return max(w.last, w.r.cache.head)
	}
	return w.last
}

// Progress returns Position and Pending of one moment. A thousand watchers ask after each event, so it takes the lock
// once.
func (w *Watcher) Progress() (position storage.Revision, pending int) {
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	return w.position(), w.pending()
}

// Pending returns how many changes lie between the watcher and the newest; while it still reads history that the ring
// never held for it, at least how many.
func (w *Watcher) Pending() int {
	w.r.cache.mu.Lock()
	defer w.r.cache.mu.Unlock()
	return w.pending()
}

// pending is Pending; Cache.mu is held.
func (w *Watcher) pending() int {
	if w.err != nil {
		return 0
	}
	if !w.counted {
		return len(w.r.ring.events)
	}
	return int(w.r.ring.next - w.next)
}
