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

// BenchmarkWrite makes durable objects of 1 KB, beside a loop that does no more than commit the same bytes as rows, with
// as many rows a transaction as there are writers. Compare the pairs of one run.
func BenchmarkWrite(b *testing.B) {
	value := `{"data":{"k":"` + strings.Repeat("x", 1000) + `"}}`
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprintf("kubarium/writers=%d", writers), func(b *testing.B) {
			s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: filepath.Join(b.TempDir(), "kubarium.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var next atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for range writers {
				all.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						w := storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprint("c-", i)), Value: []byte(value)}
						if _, err := s.Write(context.Background(), w); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
		})
		b.Run(fmt.Sprintf("bare/writers=%d", writers), func(b *testing.B) {
			commitRows(b, writers, value)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
		})
	}
}

// commitRows commits b.N rows, so many in a transaction.
func commitRows(b *testing.B, together int, value string) {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT)"); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i += together {
		tx, err := db.Begin()
		for range min(together, b.N-i) {
			if err == nil {
				_, err = tx.Exec("INSERT INTO rows (value) VALUES (?)", value)
			}
		}
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
