package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A batching store hands its follower what was written only when it is told to, as one batch.
type batching struct {
	storage.Store
	mu   sync.Mutex
	got  []storage.Change
	head storage.Revision
	fn   func(storage.Batch)
}

func (b *batching) Follow(fn func(storage.Batch)) (storage.Revision, error) {
	b.fn = fn
	return b.Store.Follow(func(x storage.Batch) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.got, b.head = append(b.got, x.Changes...), x.Head
	})
}

func (b *batching) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fn(storage.Batch{Changes: b.got, Head: b.head})
	b.got = nil
}

// One batch that is larger than the ring and than the allowed lag ends nobody who was up to date before it, although
// everything up to it has been compacted since the watcher's last event.
func TestWatcher_LargeBatch(t *testing.T) {
	s := &batching{Store: openStore(t)}
	c := newCache(t, s, cache.Options{RingChanges: 10, MaxLag: 20})
	rec := mustCreate(t, s, "a", -1)
	s.flush()
	w := mustWatch(t, c, rec.Revision)
	for i := range 5 {
		mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "others", Name: fmt.Sprint(i)}, Value: value(1)})
	}
	s.flush()
	head := c.Head()
	if err := s.Compact(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	for i := range 1100 {
		rec = mustUpdate(t, s, rec, i)
	}
	s.flush()
	events, err := until(w, rec.Revision)
	if err != nil || fmt.Sprint(revisions(events)) != fmt.Sprint(logged(t, s, head)) {
		t.Errorf("got %d events, %v", len(events), err)
	}
}

// What a watcher reads from the history never goes beyond what the cache has followed, so that it comes once, and so
// that a reader after the event finds the object.
func TestWatcher_Gap_Ahead(t *testing.T) {
	s := &batching{Store: openStore(t)}
	c := newCache(t, s, cache.Options{RingChanges: 10})
	rec := mustCreate(t, s, "a", -1)
	s.flush()
	first := rec.Revision
	mustSnapshot(t, c, 0)
	for i := range 30 {
		rec = mustUpdate(t, s, rec, i)
	}
	s.flush()
	known := rec.Revision
	for i := range 5 {
		rec = mustUpdate(t, s, rec, i)
	}
	w := mustWatch(t, c, first-1)
	events, err := until(w, known)
	if err != nil || events[len(events)-1].Revision != known {
		t.Fatalf("got %v, %v, while the cache has %d", revisions(events), err, known)
	}
	s.flush()
	more, err := until(w, rec.Revision)
	if err != nil || fmt.Sprint(revisions(append(events, more...))) != fmt.Sprint(logged(t, s, first-1)) {
		t.Errorf("then %v, %v", revisions(more), err)
	}
}

// What was there before a watcher began does not make it slow, in the ring or in the history; nor does what comes
// while it reads the history.
func TestWatcher_NotSlow(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingChanges: 100, MaxLag: 5})
	rec := mustCreate(t, s, "a", -1)
	mustSnapshot(t, c, 0)
	for i := range 150 {
		rec = mustUpdate(t, s, rec, i)
	}
	ringed, far := mustWatch(t, c, rec.Revision-50), mustWatch(t, c, rec.Revision-150)
	for i := range 3 {
		rec = mustUpdate(t, s, rec, i)
	}
	if events, err := until(ringed, rec.Revision); err != nil || len(events) != 53 {
		t.Errorf("from the ring %d events, %v", len(events), err)
	}
	for i := range 20 {
		rec = mustUpdate(t, s, rec, i)
	}
	if events, err := until(far, rec.Revision); err != nil || len(events) != 173 {
		t.Errorf("from the history %d events, %v", len(events), err)
	}
}

// A watcher of history in which nothing concerns it is at the head once it has looked.
func TestWatcher_Position_History(t *testing.T) {
	s := openStore(t)
	rec := mustCreate(t, s, "a", -1)
	other := mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "others", Name: "a"}, Value: value(1)})
	c := newCache(t, s, cache.Options{})
	w := mustWatch(t, c, rec.Revision)
	for try := 0; try < 200 && w.Position() != other.Revision; try++ { // a busy machine takes its time
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		cancel()
	}
	if w.Position() != other.Revision {
		t.Errorf("position %d, want %d", w.Position(), other.Revision)
	}
}
