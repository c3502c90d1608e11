package cache

import (
	"context"

	"github.com/tidwall/btree"

	"kubarium/server/storage"
)

// A resource is the newest version of every object of one resource, and the ring of its recent changes. Cache.mu
// guards it, except name and filled.
type resource struct {
	cache *Cache
	name  string

	filled  chan struct{} // closed when the fill has ended, well or not
	fillErr error         // set before filled is closed
	ready   bool
	pending []followed // changes that came during the fill

	objects *btree.Map[string, *Object] // by the key's name
	frozen  *btree.Map[string, *Object] // a copy of objects as they are; nil after a change
	bytes   int64                       // of all values in objects
	changed storage.Revision            // of the latest change; until there is one, the revision of the fill

	ring
	// before is what the ring's end and the store's head were when the latest batch that touched the resource began.
	before struct {
		next uint64
		head storage.Revision
	}
	pokes    pokes
	watchers map[*Watcher]struct{}
	slow     int
	swept    uint64 // the ring's end when watchers were last looked over
}

// with calls fn, under the lock, with a resource that is filled, and fills it before if it has to.
func (c *Cache) with(ctx context.Context, name string, fn func(*resource)) error {
	for {
		r, err := c.resource(name)
		if err != nil {
			return err
		}
		if err := r.awaitFill(ctx); err != nil {
			return err
		}
		if r.fillErr != nil {
			return r.fillErr
		}
		if used, err := c.use(r, fn); used || err != nil {
			return err
		}
	}
}

// awaitFill waits until the resource is filled. Nearly always it is, and then ctx is not asked, which takes longer.
func (r *resource) awaitFill(ctx context.Context) error {
	select {
	case <-r.filled:
		return nil
	default:
	}
	select {
	case <-r.filled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// use calls fn unless the resource was dropped in the meantime.
func (c *Cache) use(r *resource, fn func(*resource)) (used bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false, ErrClosed
	}
	if c.resources[r.name] != r {
		return false, nil
	}
	fn(r)
	return true, nil
}

// resource returns the resource of that name; the first user starts the one fill that all share.
func (c *Cache) resource(name string) (*resource, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if r := c.resources[name]; r != nil {
		return r, nil
	}
	r := &resource{
		cache:    c,
		name:     name,
		filled:   make(chan struct{}),
		watchers: map[*Watcher]struct{}{},
	}
	c.resources[name] = r
	go c.fill(r)
	return r, nil
}

// abandon forgets a resource whose fill went wrong, so that the next user tries again.
func (c *Cache) abandon(r *resource, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		err = ErrClosed
	}
	r.fillErr = err
	if c.resources[r.name] == r {
		delete(c.resources, r.name)
	}
}

// apply puts one change into map and ring. The ring grows for it where it has to be held all the same, until the next
// one comes.
func (r *resource) apply(f followed, hold bool) {
	e := r.event(f, r.set(f))
	r.frozen, r.changed = nil, f.change.Revision
	if hold {
		r.ring.hold(e)
		return
	}
	r.ring.push(e, r.cache.o.RingChanges, r.cache.o.RingBytes)
}

// set puts what a change left into the map, and returns what was there.
func (r *resource) set(f followed) (old *Object) {
	if f.object != nil {
		old, _ = r.objects.Set(f.object.Key.Name, f.object)
		r.bytes += int64(len(f.object.Value))
	} else {
		old, _ = r.objects.Delete(f.change.Key.Name)
	}
	if old != nil {
		r.bytes -= int64(len(old.Value))
		r.cache.forms.drop(old.Revision)
	}
	return old
}

// event makes the event of a change; old is the object that the map has.
func (r *resource) event(f followed, old *Object) *Event {
	e := &Event{Type: f.change.Type, Revision: f.change.Revision, Object: f.object, At: f.change.At, Outside: f.change.Outside}
	switch {
	case f.change.Before == nil:
	case old != nil && old.Revision == f.change.BeforeRevision:
		e.Before = old
	default: // the log is right where the map differs, which only an unusual change from outside can cause
		e.Before = r.cache.before(r.name, f.change)
	}
	return e
}

// endAll ends all watchers.
func (r *resource) endAll(err error) {
	for w := range r.watchers {
		w.end(err)
	}
}

// sweep ends the watchers that are too slow; now and then is enough, since Next looks too.
func (r *resource) sweep() {
	if r.ring.next-r.swept <= uint64(r.cache.o.MaxLag/4) {
		return
	}
	r.swept = r.ring.next
	for w := range r.watchers {
		if w.tooSlow() {
			w.end(ErrSlow)
		}
	}
}

// unread is the number of the first change in the ring that a watcher has not had.
func (r *resource) unread() uint64 {
	first := r.ring.next
	for w := range r.watchers {
		if w.joined {
			first = min(first, w.next)
		}
	}
	return first
}
