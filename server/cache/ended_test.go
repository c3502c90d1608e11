package cache_test

import (
	"errors"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// An endable is a store that a test ends.
type endable struct {
	storage.Store
	end func(error)
}

func (s *endable) Follow(fn func(storage.Batch)) (storage.Revision, error) {
	s.end = func(why error) { fn(storage.Batch{Ended: why}) }
	return s.Store.Follow(fn)
}

// When the store has ended, watches end with the reason, those that wait and those that begin; nothing waits for what would come. What is in
// memory can be read still.
func TestWatcher_Ended(t *testing.T) {
	s := &endable{Store: openStore(t)}
	c := newCache(t, s, cache.Options{})
	rec := mustCreate(t, s, "a", 1)
	w := mustWatch(t, c, rec.Revision)
	waited := make(chan error)
	for _, wait := range []func() error{
		func() error { _, err := w.Next(t.Context()); return err },
		func() error { return c.Wait(t.Context(), rec.Revision+1) },
	} {
		go func() { waited <- wait() }()
	}
	why := &storage.Failure{Err: storage.ErrDetached, Text: "it is another one"}
	s.end(why)
	for range 2 {
		if err := <-waited; !errors.Is(err, why) {
			t.Errorf("what waited: %v", err)
		}
	}
	if _, err := c.Watch(t.Context(), things, rec.Revision); !errors.Is(err, why) {
		t.Errorf("a watch: %v", err)
	}
	if _, _, err := c.SnapshotAndWatch(t.Context(), things, 0); !errors.Is(err, why) {
		t.Errorf("a watch of all: %v", err)
	}
	if o, _, err := c.Get(t.Context(), key("a"), 0); err != nil || o.Revision != rec.Revision {
		t.Errorf("in memory: %+v, %v", o, err)
	}
}
