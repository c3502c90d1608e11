package cache

import "kubarium/server/storage"

// A followed is a change and the object it left, nil after a deletion.
type followed struct {
	change storage.Change
	object *Object
}

// follow is the store's follower. It never waits: values are looked into before the lock is taken, and under it there
// are appends only.
func (c *Cache) follow(b storage.Batch) {
	if b.Ended != nil {
		c.end(b.Ended)
		return
	}
	if len(b.Changes) == 0 && b.Restored == 0 {
		c.advance(b.Head)
		return
	}
	if b.Restored != 0 {
		c.beginRestore()
	}
	if c.o.Upcoming != nil {
		c.o.Upcoming(c, b)
	}
	c.enter(c.prepare(b.Changes), b)
	if c.o.Committed != nil {
		c.o.Committed(b)
	}
	if b.Restored != 0 {
		c.settle(b)
	}
}

// advance moves the head where no object has changed.
func (c *Cache) advance(head storage.Revision) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if head > c.head {
		c.head = head
		c.announce()
	}
}

// end ends all watchers, and those that come later: what happens from now on is not known here.
func (c *Cache) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = why
	for _, r := range c.resources {
		r.endAll(why)
	}
	c.announce()
}

// prepare makes the objects of the resources that are in use.
func (c *Cache) prepare(changes []storage.Change) []followed {
	used := c.used()
	fs := make([]followed, len(changes))
	for i, ch := range changes {
		if name, ok := used[ch.Key.Resource]; ok {
			ch.Key.Resource = name
			fs[i].object = c.after(ch)
		}
		fs[i].change = ch
	}
	return fs
}

// used returns the names of the resources in use, so that all their objects share the one string.
func (c *Cache) used() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	used := make(map[string]string, len(c.resources))
	for name := range c.resources {
		used[name] = name
	}
	return used
}

// enter puts a batch into maps and rings, moves the head, and pokes.
func (c *Cache) enter(fs []followed, b storage.Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.head
	if b.Restored != 0 {
		c.endRestore(b.Restored)
	}
	c.age()
	touched := map[*resource]struct{}{}
	for _, f := range fs {
		r := c.resources[f.change.Key.Resource]
		if r == nil {
			continue
		}
		if f.object == nil { // first used since prepare
			f.object = c.after(f.change)
		}
		if !r.ready {
			r.pending = append(r.pending, f)
			continue
		}
		if _, ok := touched[r]; !ok {
			touched[r] = struct{}{}
			r.before.next, r.before.head = r.ring.next, before
		}
		r.apply(f, b.Restored != 0 && r.crossed())
	}
	c.head = max(c.head, b.Head)
	for r := range touched {
		r.sweep()
		r.wake()
	}
	c.announce()
}

// age lets old changes go, of all rings once in a while: some resources change a few times in hours. A change that an open
// watcher needs stays, since the history may have lost it.
func (c *Cache) age() {
	now := c.o.Now()
	if now.Sub(c.aged) < c.o.RingTime {
		return
	}
	c.aged = now
	for _, r := range c.resources {
		r.ring.age(r.unread())
	}
}

// after returns the object that a change left, nil if it deleted it.
func (c *Cache) after(ch storage.Change) *Object {
	if ch.Type == storage.Deleted {
		return nil
	}
	return c.newObject(storage.Record{Key: ch.Key, Revision: ch.Revision, Value: ch.Value}, ch.Summary)
}

// before returns the object that a change met, nil if it created it.
func (c *Cache) before(resource string, ch storage.Change) *Object {
	if ch.Before == nil {
		return nil
	}
	k := storage.Key{Resource: resource, Name: ch.Key.Name}
	return c.newObject(storage.Record{Key: k, Revision: ch.BeforeRevision, Value: ch.Before}, nil)
}
