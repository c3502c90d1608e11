package cache

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/tidwall/btree"

	"kubarium/server/storage"
)

// A Snapshot is all objects of a resource at one revision. Later changes do not touch it; reading it takes no lock.
type Snapshot struct {
	revision storage.Revision
	changed  storage.Revision // the objects have been as they are from this revision on, or longer
	objects  *btree.Map[string, *Object]
}

// Snapshot returns the resource at the newest revision, once the cache has followed up to min. Errors are those of
// Wait, and those of the store when it fills.
func (c *Cache) Snapshot(ctx context.Context, name string, min storage.Revision) (*Snapshot, error) {
	if err := c.Wait(ctx, min); err != nil {
		return nil, err
	}
	var s *Snapshot
	err := c.with(ctx, name, func(r *resource) { s = r.snapshot() })
	return s, err
}

// snapshot freezes the map as it is; until the next change all snapshots share the copy.
func (r *resource) snapshot() *Snapshot {
	if r.frozen == nil {
		r.frozen = r.objects.Copy()
	}
	return &Snapshot{revision: r.cache.head, changed: r.changed, objects: r.frozen}
}

// Revision is what the snapshot was taken at: no object in it is newer, and no change up to it is missing.
func (s *Snapshot) Revision() storage.Revision { return s.revision }

// Holds reports whether the resource is known to have been the same at a revision: other resources have changed
// since, this one has not.
func (s *Snapshot) Holds(at storage.Revision) bool { return s.changed <= at && at <= s.revision }

// Len returns how many objects there are.
func (s *Snapshot) Len() int { return s.objects.Len() }

// Ascend calls fn with the objects whose key names begin with prefix and come after after, in key order, until fn
// returns false. "" for after begins with the first, "" for prefix takes all.
func (s *Snapshot) Ascend(prefix, after string, fn func(*Object) bool) {
	left := s.Count(prefix, after) // so that no name is looked at, which lies elsewhere in memory than all else
	s.objects.Ascend(begin(prefix, after), func(_ string, o *Object) bool {
		left--
		return left >= 0 && fn(o)
	})
}

// Walk returns a function that returns the objects that Ascend visits after "", one at each call, and nil from then
// on; and how many they are. The function is for one goroutine at a time.
func (s *Snapshot) Walk(prefix string) (next func() *Object, count int) {
	count = s.Count(prefix, "")
	at, left := s.objects.Iter(), count
	return func() *Object {
		switch left {
		case 0:
			return nil
		case count:
			at.Seek(prefix)
		default:
			at.Next()
		}
		left--
		return at.Value()
	}, count
}

// Count returns how many objects Ascend would visit, without visiting them.
func (s *Snapshot) Count(prefix, after string) int {
	if prefix == "" && after == "" {
		return s.Len()
	}
	first := s.rank(func(name string) bool { return name >= begin(prefix, after) })
	behind := s.rank(func(name string) bool { return name >= prefix && !strings.HasPrefix(name, prefix) })
	return max(0, behind-first)
}

// CountAt returns how many objects Ascend would have visited at a revision, without reading the history: by what
// there is now, and the changes since. It is not ok when the ring does not go back as far, or while the resource is
// filled.
func (c *Cache) CountAt(ctx context.Context, name, prefix, after string, at storage.Revision) (n int, ok bool) {
	var s *Snapshot
	var since []*Event
	if filled, err := c.Filled(ctx, name, 0); !filled || err != nil {
		return 0, false
	}
	err := c.with(ctx, name, func(r *resource) {
		if ok = at >= r.ring.floor && at <= c.head; ok {
			s = r.snapshot()
			since = slices.Clone(r.ring.from(r.ring.after(at), len(r.ring.events)))
		}
	})
	if err != nil || !ok {
		return 0, false
	}
	n = s.Count(prefix, after)
	for _, e := range since {
		name := e.Key().Name
		switch visited := name >= begin(prefix, after) && strings.HasPrefix(name, prefix); {
		case visited && e.Before == nil:
			n--
		case visited && e.Object == nil:
			n++
		}
	}
	return n, true
}

// Any reports whether there is an object of a resource whose key name begins with prefix, without a snapshot. Errors
// are those of Snapshot.
func (c *Cache) Any(ctx context.Context, name, prefix string) (found bool, err error) {
	err = c.with(ctx, name, func(r *resource) {
		r.objects.Ascend(prefix, func(key string, _ *Object) bool {
			found = strings.HasPrefix(key, prefix)
			return false
		})
	})
	return found, err
}

// begin is the least name that Ascend may visit. The least name after another is that name and a zero byte.
func begin(prefix, after string) string {
	if after == "" || after < prefix {
		return prefix
	}
	return after + "\x00"
}

// rank returns how many objects lie before the first for whose name at holds, which holds for all after it too.
func (s *Snapshot) rank(at func(name string) bool) int {
	return sort.Search(s.objects.Len(), func(i int) bool {
		name, _, _ := s.objects.GetAt(i)
		return at(name)
	})
}
