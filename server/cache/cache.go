package cache

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"kubarium/server/storage"
)

// Errors of this package in addition to those of storage, for errors.Is.
var (
	// ErrSlow: the watcher lagged more than Options.MaxLag changes and has been ended.
	ErrSlow = errors.New("watcher is too slow")
	// ErrDropped: the watcher's resource is no longer served.
	ErrDropped = errors.New("resource is gone")
	// ErrStopped: Stop was called on the watcher.
	ErrStopped = errors.New("watcher is stopped")
	// ErrClosed: the cache has been closed.
	ErrClosed = errors.New("cache is closed")
)

// Options say how a cache looks into values and how much it keeps.
type Options struct {
	// Index looks into a stored value; s, if not nil, has what its writer knows of it. A nil Index finds nothing in
	// any value. The follower, fills and watchers that read history call it, also at the same time. It must be quick.
	Index func(resource string, r storage.Record, s *storage.Summary) Indexed
	// Upcoming, if set, is called with each batch, in order, before any reader can see it here. It must not block.
	Upcoming func(*Cache, storage.Batch)
	// Committed, if set, is called with each batch, in order, once cache and ring have it. It must not block.
	Committed func(storage.Batch)
	// Settle, if set, is called off the store's goroutine with each restore, once cache and ring have it. Settled
	// waits until it returns. Its context ends with the cache.
	Settle func(context.Context, storage.Batch)
	// RingChanges is how many changes the ring of a resource holds at most; 0 means 4096.
	RingChanges int
	// RingBytes bounds the ring of a resource by its values and their encoded forms, in bytes; 0 means 16 MiB.
	RingBytes int64
	// RingTime is how long the rings hold a change at least, within their bounds; 0 means 75 s, kube-apiserver's. It goes
	// within twice that while changes come and no open watch needs it. A watch that begins before reads the history.
	RingTime time.Duration
	// FormBytes bounds the encoded forms of objects, of all resources together, in bytes; 0 means 32 MiB.
	FormBytes int64
	// MaxLag is how many changes a watcher may lag before it is ended; 0 means four times RingChanges. The last batch
	// does not count, so that one large transaction ends no watcher that was up to date before it.
	MaxLag int
	// Wait is how long reads wait for a future revision; 0 means 3 s.
	Wait time.Duration
	// Now is the clock of Stats and of RingTime; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Index == nil {
		o.Index = func(string, storage.Record, *storage.Summary) Indexed { return Indexed{} }
	}
	if o.RingChanges <= 0 {
		o.RingChanges = 4096
	}
	if o.RingBytes <= 0 {
		o.RingBytes = 16 << 20
	}
	if o.RingTime <= 0 {
		o.RingTime = 75 * time.Second
	}
	if o.FormBytes <= 0 {
		o.FormBytes = 32 << 20
	}
	if o.MaxLag <= 0 {
		o.MaxLag = 4 * o.RingChanges
	}
	if o.Wait <= 0 {
		o.Wait = 3 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// A Cache follows one store. All methods are safe for concurrent use.
type Cache struct {
	store storage.Store
	o     Options
	forms *forms
	sets  *sets

	ctx    context.Context // of the fills; ends with Close
	cancel context.CancelFunc

	// mu guards everything below, the resources with their maps and rings, and the state of the watchers. It is held
	// for the time of an append or a lookup, never while a value is looked into or the store is asked.
	mu        sync.Mutex
	closed    bool
	ended     error // why the store reports no more changes
	head      storage.Revision
	restored  storage.Revision // the head when the store was last restored; 0 if it never was
	restoring chan struct{}    // closed when a restore has been taken over; nil while none is
	moved     chan struct{}    // closed when head moves; nil while no caller waits
	resources map[string]*resource
	aged      time.Time // when the rings last let old changes go
	slow      int       // watchers ended as too slow, of all resources there ever were
}

// New makes the cache the store's follower. It reads nothing yet.
func New(store storage.Store, o Options) (*Cache, error) {
	o = o.withDefaults()
	c := &Cache{store: store, o: o, forms: newForms(o.FormBytes), sets: newSets(), resources: map[string]*resource{}, aged: o.Now()}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	from, err := store.Follow(c.follow)
	if err != nil {
		c.cancel()
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head = max(c.head, from) // the first batch may have been quicker
	return c, nil
}

// Close ends all watchers with ErrClosed, at once. The store may be closed before or after.
func (c *Cache) Close() {
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	for _, r := range c.resources {
		r.endAll(ErrClosed)
	}
	c.announce()
}

// Head returns the newest revision that the cache has followed.
func (c *Cache) Head() storage.Revision {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head
}

// Wait returns when the cache has followed up to min. After Options.Wait it gives up with a *storage.RevisionError of
// ErrTooLarge; other errors are ErrClosed, the context's, and why the store has ended.
func (c *Cache) Wait(ctx context.Context, min storage.Revision) error {
	if c.Head() >= min {
		return nil
	}
	limit := time.NewTimer(c.o.Wait)
	defer limit.Stop()
	return c.await(ctx, min, limit.C)
}

// await is Wait with the caller's timer; with a nil one it never gives up.
func (c *Cache) await(ctx context.Context, min storage.Revision, limit <-chan time.Time) error {
	for {
		c.mu.Lock()
		head, closed, ended, moved := c.head, c.closed, c.ended, c.movedLocked()
		c.mu.Unlock()
		if head >= min {
			return nil
		}
		if closed || ended != nil {
			return cmp.Or(ended, ErrClosed)
		}
		select {
		case <-moved:
		case <-limit:
			return &storage.RevisionError{Err: storage.ErrTooLarge, Asked: min, Current: head}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// movedLocked returns the channel that the next batch closes.
func (c *Cache) movedLocked() <-chan struct{} {
	if c.moved == nil {
		c.moved = make(chan struct{})
	}
	return c.moved
}

func (c *Cache) announce() {
	if c.moved == nil {
		return
	}
	close(c.moved)
	c.moved = nil
}

// Get returns the newest version of an object once the cache has followed up to min, and the revision it was read at.
// While the resource is being filled, it reads the store. Errors: *storage.KeyError of ErrNotFound, with head set;
// those of Wait; those of the store when it fills.
func (c *Cache) Get(ctx context.Context, k storage.Key, min storage.Revision) (obj *Object, head storage.Revision, err error) {
	if err := c.Wait(ctx, min); err != nil {
		return nil, c.Head(), err
	}
	r, err := c.resource(k.Resource)
	if err == nil && r.filling() {
		head := c.Head()
		obj, err := c.getStored(ctx, k)
		if err == nil {
			return obj, max(head, obj.Revision), nil
		}
		if errors.Is(err, storage.ErrNotFound) {
			return nil, head, err
		} // the fill may still find it: a list goes around what is damaged
	}
	err = c.with(ctx, k.Resource, func(r *resource) {
		obj, _ = r.objects.Get(k.Name)
		head = c.head
	})
	if err != nil {
		return nil, c.Head(), err
	}
	if obj == nil {
		return nil, head, &storage.KeyError{Err: storage.ErrNotFound, Key: k}
	}
	return obj, head, nil
}

// Drop forgets a resource, as when its definition is deleted; its watchers end with ErrDropped. Its next use fills it
// again.
func (c *Cache) Drop(resource string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.resources[resource]
	if r == nil {
		return
	}
	delete(c.resources, resource)
	r.endAll(ErrDropped)
}
