package cache_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A snapshot stays what it was under every kind of change, while the newest one follows.
func TestSnapshot_Immutable(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	recs := make([]storage.Record, 300)
	for i := range recs {
		recs[i] = mustCreate(t, s, fmt.Sprintf("n/%03d", i), i)
	}
	old := mustSnapshot(t, c, 0)
	before := fmt.Sprint(held(old))
	for i, rec := range recs {
		switch i % 3 {
		case 0:
			mustDelete(t, s, rec)
		case 1:
			mustUpdate(t, s, rec, -i)
			mustSnapshot(t, c, 0) // each one freezes the map anew
		case 2:
			mustCreate(t, s, rec.Key.Name+"-more", i)
		}
	}
	if after := fmt.Sprint(held(old)); after != before || old.Revision() != recs[299].Revision || old.Len() != 300 {
		t.Errorf("the snapshot at %d changed: %s, was %s", old.Revision(), after, before)
	}
	now := mustSnapshot(t, c, 0)
	if got, want := fmt.Sprint(held(now)), fmt.Sprint(replay(t, s, now.Revision())); got != want {
		t.Errorf("now %s, want %s", got, want)
	}
}

// A snapshot's revision is the store's, also when the last change was of another resource.
func TestSnapshot_Revision(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	mustCreate(t, s, "a", 1)
	mustSnapshot(t, c, 0)
	other := mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "others", Name: "a"}, Value: value(1)})
	if got := mustSnapshot(t, c, 0); got.Revision() != other.Revision || got.Len() != 1 {
		t.Errorf("%d objects at %d, want 1 at %d", got.Len(), got.Revision(), other.Revision)
	}
}

// Ascend and Count agree with a plain walk over all names, for prefixes and places that are there or not.
func TestSnapshot_Ascend(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	for _, name := range []string{"a-b/x", "a/x", "a/y", "a/z", "b/x", "b\xff/x", "c", "a", "a/x\x00"} {
		mustCreate(t, s, name, 0)
	}
	for i := range 200 {
		mustCreate(t, s, fmt.Sprintf("m/%d", i), i)
	}
	snap := mustSnapshot(t, c, 0)
	var names []string
	snap.Ascend("", "", func(o *cache.Object) bool {
		names = append(names, o.Key.Name)
		return true
	})
	if len(names) != snap.Len() || names[0] != "a" || names[1] != "a-b/x" || names[2] != "a/x" {
		t.Fatalf("%d of %d names, beginning with %q", len(names), snap.Len(), names[:3])
	}
	places := append([]string{"", "a/", "a/w", "zz", "m/", "m/1", "b\xff", "\xff\xff", "c/"}, names...)
	for range 2000 {
		prefix, after := places[rand.IntN(len(places))], places[rand.IntN(len(places))]
		var want, got []string
		for _, n := range names {
			if strings.HasPrefix(n, prefix) && n > after {
				want = append(want, n)
			}
		}
		snap.Ascend(prefix, after, func(o *cache.Object) bool {
			got = append(got, o.Key.Name)
			return true
		})
		if fmt.Sprint(got) != fmt.Sprint(want) || snap.Count(prefix, after) != len(want) {
			t.Fatalf("prefix %q after %q: %q (counted %d), want %q", prefix, after, got, snap.Count(prefix, after), want)
		}
	}
	visited := 0
	snap.Ascend("m/", "m/1", func(*cache.Object) bool {
		visited++
		return visited < 3
	})
	if visited != 3 {
		t.Errorf("visited %d after a stop at 3", visited)
	}
}

// A snapshot holds at every revision since the latest change of its own resource, and at no other.
func TestSnapshot_Holds(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{})
	other := func(name string) storage.Revision {
		return mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "others", Name: name}, Value: value(1)}).Revision
	}
	mustCreate(t, s, "a", 1)
	filled := other("a")
	mustSnapshot(t, c, 0)
	later := other("b")
	if now := mustSnapshot(t, c, 0); now.Holds(filled-1) || !now.Holds(filled) || !now.Holds(later) || now.Holds(later+1) {
		t.Errorf("filled at %d, now %d: %v %v %v %v", filled, later, now.Holds(filled-1), now.Holds(filled), now.Holds(later), now.Holds(later+1))
	}
	changed := mustCreate(t, s, "b", 2).Revision
	last := other("c")
	if now := mustSnapshot(t, c, 0); now.Holds(later) || !now.Holds(changed) || !now.Holds(last) {
		t.Errorf("changed at %d, now %d: %v %v %v", changed, last, now.Holds(later), now.Holds(changed), now.Holds(last))
	}
}

// The objects of an older revision are counted by the changes since, as many as the store has; and not at all beyond the ring.
func TestCache_CountAt(t *testing.T) {
	s := openStore(t)
	c := newCache(t, s, cache.Options{RingChanges: 64})
	mustSnapshot(t, c, 0)
	random := rand.New(rand.NewPCG(1, 2))
	kept := map[string]storage.Record{}
	var last storage.Revision
	for i := range 200 {
		name := fmt.Sprintf("%c/%02d", 'a'+random.IntN(3), random.IntN(20))
		switch rec, has := kept[name]; {
		case !has:
			kept[name] = mustCreate(t, s, name, i)
			last = kept[name].Revision
		case i%2 == 0:
			kept[name] = mustUpdate(t, s, rec, i)
			last = kept[name].Revision
		default:
			last = mustDelete(t, s, rec).Revision
			delete(kept, name)
		}
	}
	for at := last - 40; at <= last; at++ {
		for _, prefix := range []string{"", "b/"} {
			for _, after := range []string{"", "a/10", "b/05", "b/19", "c/00"} {
				page, err := s.List(t.Context(), storage.ListOptions{Resource: things, Prefix: prefix, After: after, At: at})
				if err != nil {
					t.Fatal(err)
				}
				if n, ok := c.CountAt(t.Context(), things, prefix, after, at); !ok || n != len(page.Records) {
					t.Errorf("behind %q of %q at %d: %d, %v, want %d", after, prefix, at, n, ok, len(page.Records))
				}
			}
		}
	}
	if n, ok := c.CountAt(t.Context(), things, "", "", last-100); ok {
		t.Errorf("%d beyond the ring", n)
	}
	if n, ok := c.CountAt(t.Context(), things, "", "", last+1); ok {
		t.Errorf("%d in the future", n)
	}
}
