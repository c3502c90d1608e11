package cache

import (
	"context"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"kubarium/server/storage"
)

// fillPage is how many records a fill reads at a time. Each page is a read of its own, of the state as it is then: a
// read that lasted for all of a million objects would keep the store from emptying what it has written ahead, and
// hold all records twice.
const fillPage = 2048

// A filling is the first read of a resource, page by page.
type filling struct {
	c        *Cache
	resource string
	objects  *btree.Map[string, *Object]
	bytes    int64
	pages    []filledPage
}

// A filledPage says at which revision the objects up to a key name were read.
type filledPage struct {
	last     string // of the last page, which goes to the end, it says nothing
	revision storage.Revision
}

// fill reads all objects and joins the changes that were followed since the resource was entered. It runs on the
// cache's own context: its first user may leave, the others still wait for it.
func (c *Cache) fill(r *resource) {
	defer close(r.filled)
	f := filling{c: c, resource: r.name, objects: new(btree.Map[string, *Object])}
	err := f.read()
	if err == nil {
		// A page may have seen a commit that the follower has not been handed yet.
		err = c.await(c.ctx, f.revision(), nil)
	}
	if err != nil {
		c.abandon(r, fmt.Errorf("fill %s: %w", r.name, err))
		return
	}
	f.repack()
	c.mu.Lock()
	defer c.mu.Unlock()
	r.objects, r.bytes, r.changed = f.objects, f.bytes, f.revision()
	r.ring.floor = f.revision()
	r.before.head = f.revision()
	for _, change := range r.pending {
		switch rev := change.change.Revision; {
		case rev > f.revision():
			r.apply(change, false)
		case rev > f.readAt(change.change.Key.Name):
			r.set(change)
		}
	}
	r.pending, r.ready = nil, true
}

// filling reports whether the first read of the resource is under way.
func (r *resource) filling() bool {
	select {
	case <-r.filled:
		return false
	default:
		return true
	}
}

// Filled waits a while for a resource to be filled, which begins with its first user, and reports whether it is.
// Callers that need one page can read the store until then. Errors are those of Snapshot; an ended ctx is not an
// error.
func (c *Cache) Filled(ctx context.Context, name string, while time.Duration) (bool, error) {
	r, err := c.resource(name)
	if err != nil || !r.filling() {
		return err == nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, while)
	defer cancel()
	return r.awaitFill(ctx) == nil, nil
}

// getStored reads an object of a resource that is being filled: it need not wait for a million others.
func (c *Cache) getStored(ctx context.Context, k storage.Key) (*Object, error) {
	rec, err := c.store.Get(ctx, k, 0)
	if err == nil {
		err = c.Wait(ctx, rec.Revision) // the store may have committed it before the follower has had it
	}
	if err != nil {
		return nil, err
	}
	return c.newObject(rec, nil), nil
}

// read reads page after page; while objects are made of one, the next is read already.
func (f *filling) read() error {
	pages := make(chan storage.Page)
	var err error
	go func() {
		defer close(pages)
		o := storage.ListOptions{Resource: f.resource, Limit: fillPage, Uncounted: true}
		for more := true; more; {
			var p storage.Page
			if p, err = f.c.store.List(f.c.ctx, o); err != nil {
				return
			}
			pages <- p
			if more = p.More; more {
				o.After = p.Records[len(p.Records)-1].Key.Name
			}
		}
	}()
	for p := range pages {
		f.add(p)
	}
	return err
}

// add takes a page, whose objects are made on all processors.
func (f *filling) add(p storage.Page) {
	objects := make([]*Object, len(p.Records))
	var workers sync.WaitGroup
	each := max(1, len(objects)/runtime.GOMAXPROCS(0)+1)
	for from := 0; from < len(objects); from += each {
		workers.Go(func() {
			for i := from; i < min(from+each, len(objects)); i++ {
				rec := p.Records[i]
				rec.Key.Resource = f.resource // one string for all
				objects[i] = f.c.newObject(rec, nil)
			}
		})
	}
	workers.Wait()
	for _, o := range objects {
		f.objects.Load(o.Key.Name, o)
		f.bytes += int64(len(o.Value))
	}
	at := filledPage{revision: p.Revision}
	if len(objects) > 0 {
		at.last = objects[len(objects)-1].Key.Name
	}
	f.pages = append(f.pages, at)
}

// repack takes the room back that nodes of the map keep when they are filled in order: half of each, 24 bytes an
// object. A copy of the map copies a node when it is written to, at the size that it has.
func (f *filling) repack() {
	const least = 16 // objects in a node; all nodes are met by steps of as many
	f.objects = f.objects.Copy()
	for i := 0; i < f.objects.Len(); i += least {
		name, o, _ := f.objects.GetAt(i)
		f.objects.Set(name, o)
	}
}

// revision is that of the last page.
func (f *filling) revision() storage.Revision { return f.pages[len(f.pages)-1].revision }

// readAt is the revision at which a key name was looked for.
func (f *filling) readAt(name string) storage.Revision {
	behind := f.pages[:len(f.pages)-1]
	return f.pages[sort.Search(len(behind), func(i int) bool { return name <= behind[i].last })].revision
}
