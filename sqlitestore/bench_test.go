package sqlitestore_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// BenchmarkWrite makes, changes and deletes durable objects of 1 KB with one writer and with 32, beside a loop that does no more
// than commit the same bytes as rows, with as many rows a transaction as there are writers. Compare the pairs of one run: by the time
// of the processors, as that of the disk depends on who else uses it, and by what is written ahead.
func BenchmarkWrite(b *testing.B) {
	for _, writers := range []int{1, 32} {
		name := func(what string) string { return fmt.Sprintf("%s/writers=%d", what, writers) }
		b.Run(name("create"), func(b *testing.B) {
			s := mustOpen(b, sqlitestore.Options{})
			measureWrites(b, s, writers, func(i int) storage.Write { return creation(i) })
		})
		b.Run(name("update"), func(b *testing.B) {
			s := mustOpen(b, sqlitestore.Options{})
			const objects = 10_000
			var at [objects]storage.Record
			write(b, s, 256, objects, func(i int) storage.Write { return creation(i) }, func(i int, r storage.Record) { at[i] = r })
			measured(b, s, func() {
				write(b, s, writers, b.N, func(i int) storage.Write {
					old := at[i%objects]
					return storage.Write{Op: storage.OpUpdate, Key: old.Key, Value: value(objects + i), Expect: old.Revision, Before: old.Value}
				}, func(i int, r storage.Record) { at[i%objects] = r })
			})
		})
		b.Run(name("delete"), func(b *testing.B) {
			s := mustOpen(b, sqlitestore.Options{})
			at := make([]storage.Record, b.N)
			write(b, s, 256, b.N, func(i int) storage.Write { return creation(i) }, func(i int, r storage.Record) { at[i] = r })
			measureWrites(b, s, writers, func(i int) storage.Write {
				return storage.Write{Op: storage.OpDelete, Key: at[i].Key, Expect: at[i].Revision, Before: at[i].Value}
			})
		})
		b.Run(name("bare"), func(b *testing.B) { commitRows(b, writers) })
	}
}

// value is an object of 1 KB, another one for each i.
func value(i int) []byte {
	return fmt.Appendf(nil, `{"data":{"k":"%s","i":"%012d"}}`, strings.Repeat("x", 1000), i)
}

// creation creates object i.
func creation(i int) storage.Write {
	return storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprint("c-", i)), Value: value(i)}
}

// write makes n writes by so many writers, and hands on what each returned.
func write(b *testing.B, s storage.Store, writers, n int, next func(i int) storage.Write, wrote func(i int, r storage.Record)) {
	var done atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := int(done.Add(1)) - 1; i < n; i = int(done.Add(1)) - 1 {
				r, err := s.Write(context.Background(), next(i))
				if err != nil {
					b.Error(err)
					return
				}
				if wrote != nil {
					wrote(i, r)
				}
			}
		})
	}
	all.Wait()
}

func measureWrites(b *testing.B, s *sqlitestore.Store, writers int, next func(i int) storage.Write) {
	measured(b, s, func() { write(b, s, writers, b.N, next, nil) })
}

// measured does b.N writes, and reports what each costs.
func measured(b *testing.B, s *sqlitestore.Store, do func()) {
	b.ReportAllocs()
	pages, batches := sqlitestore.Written(s)
	cpu := cpuTime()
	b.ResetTimer()
	do()
	b.StopTimer()
	each(b, "cpu-µs/op", (cpuTime()-cpu).Seconds()*1e6)
	pagesNow, batchesNow := sqlitestore.Written(s)
	each(b, "WAL-B/op", float64(pagesNow-pages)*(4096+24)) // a page and its frame's header
	b.ReportMetric(float64(b.N)/float64(batchesNow-batches), "writes/commit")
}

func each(b *testing.B, unit string, all float64) { b.ReportMetric(all/float64(b.N), unit) }

// commitRows commits b.N rows, so many in a transaction.
func commitRows(b *testing.B, together int) {
	b.ReportAllocs()
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT)"); err != nil {
		b.Fatal(err)
	}
	cpu := cpuTime()
	b.ResetTimer()
	for i := 0; i < b.N; i += together {
		tx, err := db.Begin()
		for j := range min(together, b.N-i) {
			if err == nil {
				_, err = tx.Exec("INSERT INTO rows (value) VALUES (?)", string(value(i+j)))
			}
		}
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	each(b, "cpu-µs/op", (cpuTime()-cpu).Seconds()*1e6)
}
