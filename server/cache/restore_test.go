package cache_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// mustSaved keeps the state of a store.
func mustSaved(t *testing.T, s storage.Store, name string) {
	t.Helper()
	if _, err := s.(storage.Snapshots).SaveSnapshot(t.Context(), name, storage.SaveNew); err != nil {
		t.Fatal(err)
	}
}

func mustGoBack(t *testing.T, s storage.Store, name string) storage.Restoration {
	t.Helper()
	done, err := s.(storage.Snapshots).Restore(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A restore ends all watchers but those that cross it, with what tells a client to list again; these are told its changes. Nobody
// can watch from before it, though nothing of the resource has changed.
func TestCache_Restore_Watchers(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	a := mustCreate(t, s, "a", 1)
	mustSnapshot(t, c, 0)
	mustSaved(t, s, "s")
	b := mustUpdate(t, s, a, 2)
	upToDate, behind, crossing := mustWatch(t, c, b.Revision), mustWatch(t, c, a.Revision), mustWatch(t, c, b.Revision)
	other, err := c.Watch(t.Context(), "others", b.Revision)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Stop()
	crossing.CrossRestores()
	done := mustGoBack(t, s, "s")
	for name, w := range map[string]*cache.Watcher{"up to date": upToDate, "behind": behind, "other": other} {
		_, err := w.Next(t.Context())
		var expired *storage.RevisionError
		if !errors.Is(err, storage.ErrExpired) || !errors.As(err, &expired) || expired.Current != done.Head {
			t.Errorf("%s: %v", name, err)
		}
	}
	events, err := until(crossing, done.Head)
	if err != nil || len(events) != 1 || events[0].Revision != done.Head || string(events[0].Object.Value) != string(a.Value) {
		t.Errorf("crossing: %v %v", revisions(events), err)
	}
	for _, resource := range []string{a.Key.Resource, "others", "never used"} {
		if _, err := c.Watch(t.Context(), resource, done.Head-1); !errors.Is(err, storage.ErrExpired) {
			t.Errorf("a watch of %s from before: %v", resource, err)
		}
		w, err := c.Watch(t.Context(), resource, done.Head)
		if err != nil {
			t.Errorf("a watch of %s from behind: %v", resource, err)
			continue
		}
		w.Stop()
	}
	if head, restored, err := c.Settled(t.Context()); head != done.Head || restored != done.Head || err != nil {
		t.Errorf("settled at %d, restored at %d, %v", head, restored, err)
	}
}

// A restore of more changes than the ring holds is told whole to a watcher that crosses it. One that was not up to date before, or
// does not read them before the next change comes, ends: nothing is left out in silence.
func TestCache_Restore_ManyChanges(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingChanges: 10, MaxLag: 1 << 20})
	begin := mustCreate(t, s, "first", -1).Revision
	mustSnapshot(t, c, 0)
	mustSaved(t, s, "s")
	for i := range 700 {
		mustCreate(t, s, fmt.Sprint("new-", i), i)
	}
	crossing, late, behind := mustWatch(t, c, c.Head()), mustWatch(t, c, c.Head()), mustWatch(t, c, begin)
	for _, w := range []*cache.Watcher{crossing, late, behind} {
		w.CrossRestores()
	}
	before := c.Head()
	done := mustGoBack(t, s, "s")
	events, err := until(crossing, done.Head)
	if err != nil || len(events) != 700 || events[0].Revision != before+1 || events[0].Type != storage.Deleted {
		t.Errorf("%d events, %v", len(events), err)
	}
	next := mustCreate(t, s, "next", 0)
	if events, err := until(crossing, next.Revision); err != nil || len(events) != 1 {
		t.Errorf("then %d events, %v", len(events), err)
	}
	for name, w := range map[string]*cache.Watcher{"late": late, "behind": behind} {
		if events, err := until(w, next.Revision); !errors.Is(err, storage.ErrExpired) {
			t.Errorf("%s: %d events, %v", name, len(events), err)
		}
	}
	if held := c.Stats().Resources[0].Ring; held != 10 {
		t.Errorf("the ring holds %d changes", held)
	}
}

// Whoever asks for what is settled waits for Options.Settle, too, which is told the changes of the restore; nobody else does, and a
// further restore begins meanwhile.
func TestCache_Settle(t *testing.T) {
	s := openStore(t)
	entered, goOn := make(chan int, 2), make(chan struct{})
	c := newCache(t, s, cache.Options{Settle: func(ctx context.Context, b storage.Batch) {
		entered <- len(b.Changes)
		select {
		case <-goOn:
		case <-ctx.Done():
		}
	}})
	mustSaved(t, s, "s")
	a := mustCreate(t, s, "a", 1)
	first := mustGoBack(t, s, "s")
	if n := <-entered; n != 1 || c.Restored() != first.Head {
		t.Errorf("%d changes, restored at %d", n, c.Restored())
	}
	mustCreate(t, s, a.Key.Name, 1)
	second := mustGoBack(t, s, "s")
	<-entered
	done := make(chan storage.Revision)
	go func() {
		_, restored, _ := c.Settled(t.Context())
		done <- restored
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Settled(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("settled too early: %v", err)
	}
	close(goOn)
	if restored := <-done; restored != second.Head {
		t.Errorf("settled at %d, want %d", restored, second.Head)
	}
}

// Where nothing differs the watchers end all the same, and the head stays.
func TestCache_Restore_SameState(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	a := mustCreate(t, s, "a", 1)
	w := mustWatch(t, c, a.Revision)
	mustSaved(t, s, "s")
	done := mustGoBack(t, s, "s")
	if _, err := w.Next(t.Context()); !errors.Is(err, storage.ErrExpired) || done.Head != a.Revision || c.Restored() != a.Revision {
		t.Errorf("%v, %+v, restored at %d", err, done, c.Restored())
	}
}

// What Options.Upcoming does belongs to the restore: who asks meanwhile where the cache stands waits until it has the changes.
func TestCache_Settled_Waits(t *testing.T) {
	s := openStore(t)
	inside, goOn := make(chan struct{}), make(chan struct{})
	c := newCache(t, s, cache.Options{Upcoming: func(_ *cache.Cache, b storage.Batch) {
		if b.Restored != 0 {
			close(inside)
			<-goOn
		}
	}})
	mustSaved(t, s, "s")
	mustCreate(t, s, "a", 1)
	ended := make(chan storage.Restoration, 1)
	go func() {
		done, err := s.(storage.Snapshots).Restore(context.Background(), "s")
		if err != nil {
			t.Error(err)
		}
		ended <- done
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := c.Settled(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it did not wait: %v", err)
	}
	if c.Restored() != 0 {
		t.Error("restored too soon")
	}
	settled := make(chan string, 1)
	go func() {
		head, restored, err := c.Settled(context.Background())
		settled <- fmt.Sprint(head, restored, err)
	}()
	close(goOn)
	done := <-ended
	if have, want := <-settled, fmt.Sprint(done.Head, done.Head, nil); have != want {
		t.Errorf("%s, want %s", have, want)
	}
}
