package sqlitestore_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// largeConfigMaps is how many rows the log of a large store has.
const largeConfigMaps = 1_000_000

// mustFill makes a database of so many ConfigMaps of 1 KB, each with so many versions. Their names tell nothing of their order.
func mustFill(b *testing.B, path string, configMaps, versions int) {
	b.Helper()
	data := strings.Repeat("x", 990)
	changes := func(yield func(storage.Change) bool) {
		revision := storage.Revision(0)
		for version := range versions {
			for i := range configMaps {
				revision++
				c := storage.Change{Revision: revision, Type: storage.Created, At: time.UnixMilli(1_700_000_000_000), Key: largeKey(i),
					Value: fmt.Appendf(nil, `{"v":%d,"data":"%s"}`, version, data)}
				if version > 0 {
					c.Type, c.BeforeRevision = storage.Updated, revision-storage.Revision(configMaps)
				}
				if !yield(c) {
					return
				}
			}
		}
	}
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path, Sync: "off", Begin: &sqlitestore.Told{Changes: iter.Seq[storage.Change](changes)}})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
}

func largeKey(i int) storage.Key {
	return storage.NewKey("configmaps", "default", fmt.Sprintf("%08x-%d", uint32(i)*2654435761, i))
}

// BenchmarkSweep removes the old half of a log of a million rows, and gives the pages back, as the writer does it between two
// batches. It reports how long that takes each time, which a writer may have to wait for: by the time of the processors, as that of
// the clock tells more of who else uses the machine.
//
//	go test ./sqlitestore -run '^$' -bench Sweep/rows=1000000 -benchtime 1x
func BenchmarkSweep(b *testing.B) {
	for _, rows := range []int{largeConfigMaps / 10, largeConfigMaps} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "kubarium.db")
			mustFill(b, path, rows/2, 2)
			s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path, Sync: "off"})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			head, _ := s.Head()
			if err := s.Compact(context.Background(), head); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				reportTidying(b, s, "sweep-")
				sqlitestore.Maintain(s)
				reportTidying(b, s, "shrink-")
			}
		})
	}
}

// reportTidying does all that is to be tidied, and reports how long each slice took.
func reportTidying(b *testing.B, s *sqlitestore.Store, what string) {
	var all []time.Duration
	for more := true; more; {
		var took time.Duration
		took, more = sqlitestore.Tidy(s)
		if took > 0 {
			all = append(all, took)
		}
	}
	reportTimes(b, what, all)
}

// reportTimes reports how long something took that was done again and again.
func reportTimes(b *testing.B, what string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(len(took)), what+"n")
	for _, at := range []struct {
		name string
		of   int
	}{{"p50-ms", len(took) / 2}, {"p99-ms", len(took) * 99 / 100}, {"max-ms", len(took) - 1}} {
		b.ReportMetric(took[at.of].Seconds()*1000, what+at.name)
	}
}

// BenchmarkPauses makes objects in a store with so many rows in its log, with 32 writers, and reports how long a write took: while
// nothing but the copying of what is written ahead is to be done beside, and while half of the log is swept away.
//
//	go test ./sqlitestore -run '^$' -bench Pauses/rows=1000000 -benchtime 20000x
func BenchmarkPauses(b *testing.B) {
	for _, rows := range []int{largeConfigMaps / 10, largeConfigMaps} {
		for _, sweeping := range []bool{false, true} {
			b.Run(fmt.Sprintf("rows=%d/sweeping=%t", rows, sweeping), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "kubarium.db")
				mustFill(b, path, rows/2, 2)
				s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				if head, _ := s.Head(); sweeping {
					if err := s.Compact(context.Background(), head); err != nil {
						b.Fatal(err)
					}
				}
				reportPauses(b, s, 32)
			})
		}
	}
}

// reportPauses makes objects, and reports how long that took each time.
func reportPauses(b *testing.B, s *sqlitestore.Store, writers int) {
	took := make([]time.Duration, b.N)
	var done atomic.Int64
	var all sync.WaitGroup
	run := fmt.Sprint(time.Now().UnixNano())
	b.ResetTimer()
	for range writers {
		all.Go(func() {
			for i := int(done.Add(1)) - 1; i < b.N; i = int(done.Add(1)) - 1 {
				w := storage.Write{Op: storage.OpCreate, Key: largeKey(i), Value: value(i)}
				w.Key.Name += run
				begun := time.Now()
				if _, err := s.Write(context.Background(), w); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(begun)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	reportTimes(b, "", took)
}
