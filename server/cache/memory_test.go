package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// A listing is a store that has many objects without keeping any.
type listing struct {
	storage.Store
	n    int
	size int // of a value, in bytes
}

func (l *listing) List(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	p, err := l.Store.List(ctx, o)
	for i := range l.n {
		head := fmt.Sprintf(`{"metadata":{"labels":{"app":"app-%d","pod-template-hash":"7d4b9c5f6d","tier":"web"}},"spec":{"n":"%d"},"data":"`, i/20, i%30)
		v := make([]byte, 0, l.size)
		v = append(v, head...)
		v = append(v, bytes.Repeat([]byte("x"), l.size-len(head)-2)...)
		v = append(v, `"}`...)
		p.Records = append(p.Records, storage.Record{
			Key:      storage.Key{Resource: strings.Clone(o.Resource), Name: fmt.Sprintf("namespace-%04d/app-%06d-7d4b9c5f6d-x2v9k", i/1000, i)},
			Revision: p.Revision,
			Value:    v,
		})
	}
	return p, err
}

// 100,000 objects of 1.4 KB stay below 200 MiB, with their labels and fields.
func TestCache_Memory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 200 MiB")
	}
	c := newCache(t, &listing{Store: openStore(t), n: 100_000, size: 1400}, cache.Options{})
	before := heap()
	s := mustSnapshot(t, c, 0)
	grown := heap() - before
	t.Logf("%d objects take %d MiB", s.Len(), grown>>20)
	if s.Len() != 100_000 || grown > 200<<20 {
		t.Errorf("%d objects take %d MiB, want at most 200", s.Len(), grown>>20)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
