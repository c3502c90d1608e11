package cache_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A paging store calls between before each page of a list but the first.
type paging struct {
	storage.Store
	between func(page int)
	pages   int
}

func (p *paging) List(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	if o.After != "" {
		p.pages++
		p.between(p.pages)
	}
	return p.Store.List(ctx, o)
}

// manyOf creates n objects at the same time, with names in order.
func manyOf(t *testing.T, s storage.Store, n int) []storage.Record {
	t.Helper()
	recs := make([]storage.Record, n)
	var writers sync.WaitGroup
	for i := range n {
		writers.Go(func() { recs[i] = mustCreate(t, s, fmt.Sprintf("ns/%05d", i), i) })
	}
	writers.Wait()
	return recs
}

// What changes while the pages of a fill are read is in the snapshot, whether its page was read before or comes yet; and a watch
// from the revision of the snapshot tells all that comes behind it, and nothing else.
func TestCache_fill_whileWritten(t *testing.T) {
	s := openStore(t)
	recs := manyOf(t, s, 7000)
	p := &paging{Store: s}
	p.between = func(page int) {
		for _, at := range []int{page, 3000 + page, 6900 + page} {
			mustWrite(t, s, storage.Write{Op: storage.OpUpdate, Key: recs[at].Key, Value: value(-page), Expect: recs[at].Revision})
		}
		for _, at := range []int{100 + page, 6800 + page} {
			mustWrite(t, s, storage.Write{Op: storage.OpDelete, Key: recs[at].Key, Expect: recs[at].Revision})
		}
		mustCreate(t, s, fmt.Sprintf("ns/00000-%d", page), page)
		mustCreate(t, s, fmt.Sprintf("ns/06999-%d", page), page)
	}
	c := newCache(t, p, cache.Options{})
	snap := mustSnapshot(t, c, 0)
	if p.pages < 3 {
		t.Fatalf("%d pages", p.pages)
	}
	want, err := s.List(t.Context(), storage.ListOptions{Resource: recs[0].Key.Resource})
	if err != nil {
		t.Fatal(err)
	}
	if snap.Revision() != want.Revision || snap.Len() != len(want.Records) || snap.Len() != 7000 {
		t.Fatalf("%d objects at %d, want %d at %d", snap.Len(), snap.Revision(), len(want.Records), want.Revision)
	}
	i := 0
	snap.Ascend("", "", func(o *cache.Object) bool {
		if r := want.Records[i]; o.Key != r.Key || o.Revision != r.Revision || string(o.Value) != string(r.Value) {
			t.Errorf("%v at %d, want %v at %d", o.Key, o.Revision, r.Key, r.Revision)
		}
		i++
		return true
	})
	w := mustWatch(t, c, snap.Revision())
	next := mustCreate(t, s, "ns/x", 1)
	if events, err := until(w, next.Revision); err != nil || len(events) != 1 {
		t.Errorf("the events are of %v, want %d: %v", revisions(events), next.Revision, err)
	}
}

// An object can be read while its resource is being filled, as it is now.
func TestCache_Get_whileFilled(t *testing.T) {
	s := openStore(t)
	recs := manyOf(t, s, 3000)
	stop, stopped := make(chan struct{}), make(chan struct{})
	p := &paging{Store: s, between: func(page int) {
		if page == 1 {
			close(stopped)
			<-stop
		}
	}}
	c := newCache(t, p, cache.Options{})
	go c.Snapshot(t.Context(), recs[0].Key.Resource, 0)
	<-stopped
	rec := mustWrite(t, s, storage.Write{Op: storage.OpUpdate, Key: recs[2900].Key, Value: value(-1), Expect: recs[2900].Revision})
	o, head, err := c.Get(t.Context(), rec.Key, 0)
	if err != nil || o.Revision != rec.Revision || string(o.Value) != string(rec.Value) || head < rec.Revision {
		t.Errorf("%v at %d, %v", o, head, err)
	}
	gone := storage.Key{Resource: rec.Key.Resource, Name: "ns/none"}
	if _, _, err := c.Get(t.Context(), gone, 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such object: %v", err)
	}
	close(stop)
}
