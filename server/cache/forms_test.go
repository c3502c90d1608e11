package cache_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// However many ask at the same time, a form of an object is built once for its name, for the version that it is of.
func TestObject_Form_Once(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	a := mustCreate(t, s, "a", 1)
	var built atomic.Int32
	build := func(o *cache.Object) []byte {
		built.Add(1)
		return fmt.Appendf(nil, "%d", o.Revision)
	}
	ask := func(rev int64) {
		var askers sync.WaitGroup
		for range 50 {
			askers.Go(func() {
				o, _, err := c.Get(t.Context(), a.Key, 0)
				if err != nil || string(o.Form("x", build)) != fmt.Sprint(rev) {
					t.Errorf("got %+v, %v", o, err)
				}
			})
		}
		askers.Wait()
	}
	ask(int64(a.Revision))
	b := mustUpdate(t, s, a, 2)
	ask(int64(b.Revision))
	if built.Load() != 2 {
		t.Errorf("built %d times for two versions", built.Load())
	}
}

// The forms of a version go with it: objects that change and are deleted fill no room.
func TestObject_Form_Dropped(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	ask := func(rec storage.Record, want int) {
		t.Helper()
		o, _, err := c.Get(t.Context(), rec.Key, rec.Revision)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "y"} {
			if got := string(o.Form(name, func(o *cache.Object) []byte { return fmt.Append(nil, name, o.Revision) })); got != fmt.Sprint(name, rec.Revision) {
				t.Errorf("form %q", got)
			}
		}
		if st := c.Stats(); st.Forms != want || (st.FormBytes > 0) != (want > 0) {
			t.Errorf("%d forms of %d bytes at %d, want %d", st.Forms, st.FormBytes, rec.Revision, want)
		}
	}
	a, b := mustCreate(t, s, "a", 1), mustCreate(t, s, "b", 1)
	if _, err := c.Snapshot(t.Context(), a.Key.Resource, 0); err != nil { // it is filled
		t.Fatal(err)
	}
	ask(a, 2)
	ask(b, 4)
	a = mustUpdate(t, s, a, 2)
	ask(a, 4)
	mustDelete(t, s, a)
	ask(b, 2)
}

// The forms kept stay within their bound, those used last stay, and one that is larger than all is not kept.
func TestObject_Form_Bounded(t *testing.T) {
	s := openStore(t)
	const limit = 64 << 10
	c := newCache(t, s, cache.Options{FormBytes: limit})
	built := map[string]int{}
	form := func(name string, size int) {
		t.Helper()
		o, _, err := c.Get(t.Context(), key(name), 0)
		if err != nil {
			t.Fatal(err)
		}
		got := o.Form("x", func(*cache.Object) []byte {
			built[name]++
			return bytes.Repeat([]byte{1}, size)
		})
		if len(got) != size {
			t.Fatalf("%d bytes, want %d", len(got), size)
		}
	}
	mustCreate(t, s, "hot", 0)
	for i := range 200 {
		mustCreate(t, s, fmt.Sprint(i), i)
		form(fmt.Sprint(i), 1000)
		form("hot", 1000)
		if st := c.Stats(); st.FormBytes > limit || st.FormBytes < int64(st.Forms)*1000 {
			t.Fatalf("%d forms of %d bytes, limit %d", st.Forms, st.FormBytes, limit)
		}
	}
	if built["hot"] != 1 {
		t.Errorf("the one in use was built %d times", built["hot"])
	}
	form("0", 1000)
	if built["0"] != 2 {
		t.Errorf("the one used longest ago was built %d times, want again", built["0"])
	}
	mustCreate(t, s, "huge", 0)
	form("huge", 2*limit)
	if st := c.Stats(); st.FormBytes > limit {
		t.Errorf("%d bytes kept, limit %d", st.FormBytes, limit)
	}
}

// All watchers share one encoding of an event, also when it fails.
func TestEvent_Form_Once(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	var built, failed atomic.Int32
	bad := errors.New("no such form")
	var watchers sync.WaitGroup
	for range 50 {
		_, w, err := c.SnapshotAndWatch(t.Context(), things, 0)
		if err != nil {
			t.Fatal(err)
		}
		watchers.Go(func() {
			defer w.Stop()
			events, err := w.Next(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			b, err := events[0].Form("json", func(e *cache.Event) ([]byte, error) {
				built.Add(1)
				return append([]byte("ADDED "), e.Object.Value...), nil
			})
			if err != nil || string(b) != "ADDED "+string(value(1)) {
				t.Errorf("got %s, %v", b, err)
			}
			_, err = events[0].Form("bad", func(*cache.Event) ([]byte, error) {
				failed.Add(1)
				return nil, bad
			})
			if !errors.Is(err, bad) {
				t.Errorf("got %v", err)
			}
		})
	}
	mustCreate(t, s, "a", 1)
	watchers.Wait()
	if built.Load() != 1 || failed.Load() != 1 {
		t.Errorf("built %d and %d times", built.Load(), failed.Load())
	}
}

// What events' forms take counts for the ring, which lets old changes go for them and forgets their bytes again.
func TestEvent_Form_Counted(t *testing.T) {
	s := openStore(t)
	const limit = 100 << 10
	c := newCache(t, s, cache.Options{RingBytes: limit})
	_, w, err := c.SnapshotAndWatch(t.Context(), things, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	rec := mustCreate(t, s, "a", -1)
	for i := range 100 {
		rec = mustUpdate(t, s, rec, i)
		events, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if _, err := e.Form("x", func(*cache.Event) ([]byte, error) { return make([]byte, 10<<10), nil }); err != nil {
				t.Fatal(err)
			}
		}
		if st := c.Stats().Resources[0]; st.RingBytes > limit+11<<10 || st.RingBytes < 0 {
			t.Fatalf("ring holds %d bytes, limit %d", st.RingBytes, limit)
		}
	}
	if st := c.Stats().Resources[0]; st.Ring < 5 || st.Ring > 12 {
		t.Errorf("ring holds %d changes of 10 KiB", st.Ring)
	}
}

// Old changes do not keep their forms, which watchers that keep up have read long ago. Those who start at them share new ones.
func TestEvent_Form_Old(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingBytes: 1 << 30})
	before, built := mustSnapshot(t, c, 0).Revision(), 0
	read := func(w *cache.Watcher, last storage.Revision) {
		t.Helper()
		events, err := until(w, last)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if _, err := e.Form("x", func(*cache.Event) ([]byte, error) {
				built++
				return make([]byte, 1<<10), nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, rec := mustWatch(t, c, before), mustCreate(t, s, "a", -1)
	read(w, rec.Revision)
	const changes = cache.KeepForms + 100
	for i := range changes {
		rec = mustUpdate(t, s, rec, i)
		read(w, rec.Revision)
	}
	kept := c.Stats().Resources[0].RingBytes
	if built != changes+1 || kept > (cache.KeepForms+1)<<10+changes*1000 {
		t.Errorf("%d forms of %d changes; the ring holds %d bytes", built, changes+1, kept)
	}
	for _, more := range []int{changes + 1 - cache.KeepForms, 0} {
		built = 0
		read(mustWatch(t, c, before), rec.Revision)
		if built != more {
			t.Errorf("%d forms were made again, want %d", built, more)
		}
	}
}

// An object that a reader of history made by hand is encoded without a cache.
func TestObject_Form_Bare(t *testing.T) {
	o := &cache.Object{Value: []byte("x")}
	if got := o.Form("x", func(o *cache.Object) []byte { return append(o.Value, 'y') }); string(got) != "xy" {
		t.Errorf("got %s", got)
	}
}
