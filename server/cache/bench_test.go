package cache_test

import (
	"fmt"
	"sync"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A list of the 1,000 objects of one namespace.
func BenchmarkSnapshot_1000(b *testing.B) {
	s := openStore(b)
	c := newCache(b, s, cache.Options{})
	for i := range 1000 {
		mustCreate(b, s, fmt.Sprintf("ns/%04d", i), i)
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		mustSnapshot(b, c, 0).Ascend("ns/", "", func(o *cache.Object) bool {
			n += len(o.Value)
			return true
		})
		if n == 0 {
			b.Fatal("an empty snapshot")
		}
	}
}

// One change to 1,000 watchers, each of which takes the shared encoding, from the write to the last of them.
func BenchmarkFanOut_1000(b *testing.B) {
	s := openStore(b)
	c := newCache(b, s, cache.Options{})
	rec := mustCreate(b, s, "a", -1)
	var reached sync.WaitGroup
	encode := func(e *cache.Event) ([]byte, error) { return append([]byte(nil), e.Object.Value...), nil }
	for range 1000 {
		w := mustWatch(b, c, rec.Revision)
		go func() {
			for {
				events, err := w.Next(b.Context())
				if err != nil {
					return
				}
				for _, e := range events {
					if _, err := e.Form("json", encode); err != nil {
						b.Error(err)
					}
					reached.Done()
				}
			}
		}()
	}
	b.ReportAllocs()
	for b.Loop() {
		reached.Add(1000)
		rec = mustWrite(b, s, storage.Write{Op: storage.OpUpdate, Key: rec.Key, Value: value(1), Expect: rec.Revision})
		reached.Wait()
	}
}
