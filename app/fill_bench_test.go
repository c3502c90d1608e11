package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"kubarium/app/memory"
	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/sqlitestore"
)

// BenchmarkFill reads 20,000 ConfigMaps and as many Pods of 1.4 KB from a database into the cache, as a server does for its first
// list. It reports the processors' time for an object.
//
//	go test ./app -run '^$' -bench Fill -benchmem
func BenchmarkFill(b *testing.B) {
	const n = 20_000
	path := filepath.Join(b.TempDir(), "k.db")
	fill(b, path, "configmaps", n, storedConfigMap)
	fill(b, path, "pods", n, storedPod)
	for _, resource := range []string{"configmaps", "pods"} {
		b.Run(resource, func(b *testing.B) {
			var busy float64
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s, err := sqlitestore.Open(b.Context(), sqlitestore.Options{Path: path, Sync: "off"})
				if err != nil {
					b.Fatal(err)
				}
				r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...), Store: s, Managers: managers.New(codecs.Scheme()), Now: time.Now}
				c, err := cache.New(s, cache.Options{Index: r.Index})
				if err != nil {
					b.Fatal(err)
				}
				before := memory.ProcessSeconds()
				b.StartTimer()
				snap, err := c.Snapshot(b.Context(), resource, 0)
				b.StopTimer()
				busy += memory.ProcessSeconds() - before
				if err != nil || snap.Len() != n {
					b.Fatal(snap, err)
				}
				c.Close()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(busy*1e6/float64(b.N)/n, "cpu-µs/object")
		})
	}
}
