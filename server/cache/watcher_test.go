package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

func mustWatch(t testing.TB, c *cache.Cache, after storage.Revision) *cache.Watcher {
	t.Helper()
	w, err := c.Watch(t.Context(), things, after)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return w
}

// until reads events up to and with a revision.
func until(w *cache.Watcher, last storage.Revision) (all []*cache.Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for len(all) == 0 || all[len(all)-1].Revision < last {
		events, err := w.Next(ctx)
		if err != nil {
			return all, err
		}
		all = append(all, events...)
	}
	return all, nil
}

func revisions(es []*cache.Event) (rs []storage.Revision) {
	for _, e := range es {
		rs = append(rs, e.Revision)
	}
	return rs
}

// logged returns the revisions of the change log above after.
func logged(t testing.TB, s storage.Store, after storage.Revision) (rs []storage.Revision) {
	t.Helper()
	changes, err := s.Changes(t.Context(), things, after, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range changes {
		rs = append(rs, ch.Revision)
	}
	return rs
}

// An event has the object before and after, the same as the map has, from the ring and from the history alike.
func TestWatcher_Next(t *testing.T) {
	s := openStore(t)
	a := mustCreate(t, s, "a", 1)
	c := newCache(t, s, cache.Options{})
	live := mustWatch(t, c, a.Revision)
	b := mustUpdate(t, s, a, 2)
	o, _, err := c.Get(t.Context(), a.Key, 0)
	if err != nil {
		t.Fatal(err)
	}
	d := mustDelete(t, s, b)
	events, err := until(live, d.Revision)
	if err != nil || len(events) != 2 {
		t.Fatalf("got %v, %v", revisions(events), err)
	}
	if u := events[0]; u.Type != storage.Updated || u.Object != o || u.Before.Revision != a.Revision || u.At.IsZero() {
		t.Errorf("update %+v", u)
	}
	if x := events[1]; x.Type != storage.Deleted || x.Object != nil || x.Before != o || x.Key() != a.Key {
		t.Errorf("deletion %+v", x)
	}
	again, err := until(mustWatch(t, c, 0), d.Revision)
	if err != nil || len(again) != 3 {
		t.Fatalf("from the history %v, %v", revisions(again), err)
	}
	if n := again[0]; n.Type != storage.Created || n.Before != nil || n.Object.Revision != a.Revision || n.Object.Labels().Get("app") != "a" {
		t.Errorf("creation %+v", n)
	}
	if x := again[2]; x.Type != storage.Deleted || x.Object != nil || x.Before.Revision != b.Revision || string(x.Before.Value) != string(b.Value) {
		t.Errorf("deletion %+v", x)
	}
}

// Two hundred watchers, begun at random moments from random revisions, see every change behind them once and in order
// while many write and the ring is too small to hold it all, or lets it go soon.
func TestWatcher_Concurrent(t *testing.T) {
	for name, o := range map[string]cache.Options{
		"few": {RingChanges: 50, MaxLag: 1 << 20}, "soon": {RingTime: 2 * time.Millisecond, MaxLag: 1 << 20},
	} {
		t.Run(name, func(t *testing.T) { watchConcurrently(t, o) })
	}
}

func watchConcurrently(t *testing.T, o cache.Options) {
	s := openStore(t)
	c := newCache(t, s, o)
	mustCreate(t, s, "first", 0)
	stop := make(chan struct{})
	var writers, watchers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() { churn(t, s, fmt.Sprintf("w%d", i), stop) })
	}
	const n = 200
	got, after := make([][]*cache.Event, n), make([]storage.Revision, n)
	last := make(chan struct{})
	var end storage.Revision
	for i := range n {
		after[i] = storage.Revision(rand.Int64N(int64(c.Head()) + 1))
		w := mustWatch(t, c, after[i])
		watchers.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			for {
				events, err := w.Next(ctx)
				if err != nil {
					t.Errorf("watcher %d: %v", i, err)
					return
				}
				if got[i] = append(got[i], events...); events[len(events)-1].Object == nil {
					continue
				}
				select {
				case <-last:
				default:
					continue
				}
				if events[len(events)-1].Revision == end {
					return
				}
			}
		})
		if i%10 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
	}
	close(stop)
	writers.Wait()
	end = c.Head() + 1
	close(last)
	if rec := mustCreate(t, s, "last", 0); rec.Revision != end {
		t.Fatalf("the last change is %d, want %d", rec.Revision, end)
	}
	watchers.Wait()
	for i := range n {
		if g, w := fmt.Sprint(revisions(got[i])), fmt.Sprint(logged(t, s, after[i])); g != w {
			t.Errorf("watcher %d after %d saw %s, want %s", i, after[i], g, w)
		}
	}
}

// A watch resumed from any revision ever seen misses and repeats nothing.
func TestCache_Watch_Resumed(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingChanges: 10})
	rec := mustCreate(t, s, "a", -1)
	mustSnapshot(t, c, 0)
	for i := range 40 {
		rec = mustUpdate(t, s, rec, i)
	}
	for after := rec.Revision - 40; after < rec.Revision; after++ {
		w := mustWatch(t, c, after)
		events, err := until(w, rec.Revision)
		if err != nil || fmt.Sprint(revisions(events)) != fmt.Sprint(logged(t, s, after)) {
			t.Errorf("after %d: %v, %v", after, revisions(events), err)
		}
		if w.Pending() != 0 || w.Position() != rec.Revision {
			t.Errorf("after %d: %d pending at %d", after, w.Pending(), w.Position())
		}
	}
}

// A ring lets go what it has held for a while, also of a resource that has no more changes. A watch from before misses nothing.
func TestCache_RingTime(t *testing.T) {
	now := time.Now()
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingTime: time.Minute, Now: func() time.Time { return now }})
	mustSnapshot(t, c, 0)
	rec := mustCreate(t, s, "a", 0)
	first := rec.Revision
	for i := range 9 {
		rec = mustUpdate(t, s, rec, 1+i)
	}
	all := rec.Revision
	upToDate, behind := mustWatch(t, c, rec.Revision), mustWatch(t, c, first)
	other := func() { // a change of another resource
		rec, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "others", Name: now.String()}, Value: value(0)})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(t.Context(), rec.Revision); err != nil {
			t.Fatal(err)
		}
	}
	check := func(w *cache.Watcher, after storage.Revision) {
		events, err := until(w, rec.Revision)
		if want := logged(t, s, after); err != nil || fmt.Sprint(revisions(events)) != fmt.Sprint(want) {
			t.Errorf("after %d: %v, %v, want %v", after, revisions(events), err, want)
		}
	}
	for i, want := range []int{10, 10, 10, 10, 9, 9, 0} { // the creation of the object goes, and the rest with the watcher
		other()
		if st := c.Stats().Resources[0]; st.Ring != want || (st.RingBytes == 0) != (want == 0) {
			t.Errorf("at %s the ring holds %d changes of %d bytes, want %d", now, st.Ring, st.RingBytes, want)
		}
		if now = now.Add(31 * time.Second); i == 4 {
			check(behind, first)
			behind.Stop()
		}
	}
	rec = mustUpdate(t, s, rec, 100)
	check(upToDate, all)
	check(mustWatch(t, c, first), first)
}

// A watcher that is held back for long gets what it has not had, whatever has been compacted before.
func TestCache_RingTime_held(t *testing.T) {
	now := time.Now()
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingTime: time.Minute, Now: func() time.Time { return now }})
	rec := mustCreate(t, s, "a", 0)
	mustSnapshot(t, c, 0)
	held := mustWatch(t, c, rec.Revision)
	rec = mustUpdate(t, s, rec, 1)
	first := rec.Revision
	for i := range 5 {
		now = now.Add(61 * time.Second)
		rec = mustUpdate(t, s, rec, 2+i)
	}
	if err := s.Compact(t.Context(), rec.Revision-1); err != nil {
		t.Fatal(err)
	}
	events, err := until(held, rec.Revision)
	if err != nil || len(events) != 6 || events[0].Revision != first {
		t.Errorf("%v, %v", revisions(events), err)
	}
}

// A watch from a future version delivers only what lies above it.
func TestCache_Watch_Future(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	rec := mustCreate(t, s, "a", -1)
	w := mustWatch(t, c, rec.Revision+2)
	if w.Position() != rec.Revision+2 {
		t.Errorf("position %d", w.Position())
	}
	for i := range 4 {
		rec = mustUpdate(t, s, rec, i)
	}
	events, err := until(w, rec.Revision)
	if err != nil || len(events) != 2 || events[0].Revision != rec.Revision-1 {
		t.Errorf("got %v, %v", revisions(events), err)
	}
}

// A snapshot and its watcher together are everything: the watcher begins exactly behind the snapshot.
func TestCache_SnapshotAndWatch(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() { churn(t, s, fmt.Sprintf("w%d", i), stop) })
	}
	snap, w, err := c.SnapshotAndWatch(t.Context(), things, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	time.Sleep(20 * time.Millisecond)
	close(stop)
	writers.Wait()
	rec := mustCreate(t, s, "last", 0)
	events, err := until(w, rec.Revision)
	if err != nil {
		t.Fatal(err)
	}
	model := held(snap)
	for _, e := range events {
		if model[e.Key().Name] = e.Revision; e.Type == storage.Deleted {
			delete(model, e.Key().Name)
		}
	}
	if got, want := fmt.Sprint(model), fmt.Sprint(replay(t, s, rec.Revision)); got != want {
		t.Errorf("snapshot and events give %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(revisions(events)), fmt.Sprint(logged(t, s, snap.Revision())); got != want {
		t.Errorf("saw %s, want %s", got, want)
	}
}

// A watcher that does not read is ended when it is too far behind, and counted; one that reads goes on, and one that
// was merely begun far back is not slow for that.
func TestWatcher_Slow(t *testing.T) {
	s := openStore(t)
	rec := mustCreate(t, s, "a", -1)
	for i := range 100 {
		rec = mustUpdate(t, s, rec, i)
	}
	c := newCache(t, s, cache.Options{RingChanges: 10, MaxLag: 30})
	slow, quick := mustWatch(t, c, rec.Revision), mustWatch(t, c, rec.Revision)
	for i := range 100 {
		rec = mustUpdate(t, s, rec, i)
		if _, err := until(quick, rec.Revision); err != nil {
			t.Fatalf("the quick one: %v", err)
		}
	}
	select {
	case <-slow.Done():
	default:
		t.Error("the slow one is still open although it does not even call Next")
	}
	if _, err := slow.Next(t.Context()); !errors.Is(err, cache.ErrSlow) {
		t.Errorf("the slow one: %v", err)
	}
	st := c.Stats()
	if st.Slow != 1 || st.Resources[0].Slow != 1 || st.Resources[0].Watchers != 1 || st.Resources[0].Ring != 10 {
		t.Errorf("stats %+v", st)
	}
	late, err := until(mustWatch(t, c, 0), rec.Revision)
	if err != nil || len(late) != 201 {
		t.Errorf("one begun far back got %d events, %v", len(late), err)
	}
}

// One that is behind the ring, but not too slow, reads on from the history and is back in the ring after it.
func TestWatcher_Gap(t *testing.T) {
	s := openStore(t)
	rec := mustCreate(t, s, "a", -1)
	c := newCache(t, s, cache.Options{RingChanges: 10, MaxLag: 5000})
	w := mustWatch(t, c, rec.Revision)
	begin := rec.Revision
	for i := range 1200 {
		rec = mustUpdate(t, s, rec, i)
	}
	if w.Pending() != 1200 {
		t.Errorf("%d pending, want 1200", w.Pending())
	}
	events, err := until(w, rec.Revision)
	if err != nil || fmt.Sprint(revisions(events)) != fmt.Sprint(logged(t, s, begin)) {
		t.Fatalf("got %d events, %v", len(events), err)
	}
	rec = mustUpdate(t, s, rec, 0)
	o, _, err := c.Get(t.Context(), rec.Key, 0)
	if err != nil {
		t.Fatal(err)
	}
	if events, err := until(w, rec.Revision); err != nil || len(events) != 1 || events[0].Object != o {
		t.Errorf("behind the gap: %v, %v", revisions(events), err)
	}
}

// Compaction ends those that still need what it took, and no others: not one that is up to date, however old its last
// event, and not one that finds the rest in the ring.
func TestWatcher_Compaction(t *testing.T) {
	s := openStore(t)
	rec := mustCreate(t, s, "a", -1)
	c := newCache(t, s, cache.Options{RingChanges: 10, MaxLag: 5000})
	laggard, idle := mustWatch(t, c, rec.Revision), mustWatch(t, c, rec.Revision)
	start := rec.Revision
	for i := range 40 {
		rec = mustUpdate(t, s, rec, i)
	}
	if _, err := until(idle, rec.Revision); err != nil {
		t.Fatal(err)
	}
	ringed := mustWatch(t, c, rec.Revision-5)
	if err := s.Compact(t.Context(), rec.Revision); err != nil {
		t.Fatal(err)
	}
	var re *storage.RevisionError
	if _, err := laggard.Next(t.Context()); !errors.As(err, &re) || !errors.Is(err, storage.ErrExpired) {
		t.Errorf("the laggard: %v", err)
	}
	if _, err := laggard.Next(t.Context()); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("the laggard again: %v", err)
	}
	if events, err := until(ringed, rec.Revision); err != nil || len(events) != 5 {
		t.Errorf("the one in the ring: %v, %v", revisions(events), err)
	}
	_, err := c.Watch(t.Context(), things, start)
	if !errors.As(err, &re) || !errors.Is(err, storage.ErrExpired) || re.Asked != start || re.Current != rec.Revision {
		t.Errorf("a new watch from below: %v", err)
	}
	next := mustUpdate(t, s, rec, 0)
	for name, w := range map[string]*cache.Watcher{"idle": idle, "at the boundary": mustWatch(t, c, rec.Revision)} {
		if events, err := until(w, next.Revision); err != nil || len(events) != 1 {
			t.Errorf("%s: %v, %v", name, revisions(events), err)
		}
	}
}

// The position moves with the head although nothing concerns the resource, and stays behind what is pending.
func TestWatcher_Position(t *testing.T) {
	s := openStore(t)
	rec := mustCreate(t, s, "a", -1)
	c := newCache(t, s, cache.Options{})
	w := mustWatch(t, c, rec.Revision)
	other := mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "others", Name: "a"}, Value: value(1)})
	if w.Position() != other.Revision {
		t.Errorf("position %d, want %d", w.Position(), other.Revision)
	}
	rec = mustUpdate(t, s, rec, 1)
	if w.Position() >= rec.Revision || w.Pending() != 1 {
		t.Errorf("position %d with %d undelivered, the change is %d", w.Position(), w.Pending(), rec.Revision)
	}
	if _, err := until(w, rec.Revision); err != nil {
		t.Fatal(err)
	}
	if w.Position() != rec.Revision || w.Pending() != 0 {
		t.Errorf("position %d with %d undelivered", w.Position(), w.Pending())
	}
}

// Stop, Drop and the caller's context each end a Next that waits, and say which it was; a context ends no watcher.
func TestWatcher_Ends(t *testing.T) {
	s := openStore(t)
	rec := mustCreate(t, s, "a", -1)
	c := newCache(t, s, cache.Options{})
	w, dropped := mustWatch(t, c, rec.Revision), mustWatch(t, c, rec.Revision)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline: %v", err)
	}
	rec = mustUpdate(t, s, rec, 1)
	if _, err := until(w, rec.Revision); err != nil {
		t.Errorf("after the deadline: %v", err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := w.Next(context.Background())
		ended <- err
	}()
	w.Stop()
	w.Stop()
	if err := <-ended; !errors.Is(err, cache.ErrStopped) {
		t.Errorf("stop: %v", err)
	}
	c.Drop(things)
	if _, err := dropped.Next(t.Context()); !errors.Is(err, cache.ErrDropped) {
		t.Errorf("drop: %v", err)
	}
	if st := c.Stats(); len(st.Resources) != 0 {
		t.Errorf("stats %+v", st)
	}
	if o, _, err := c.Get(t.Context(), rec.Key, 0); err != nil || o.Revision != rec.Revision {
		t.Errorf("filled again: %+v, %v", o, err)
	}
}
