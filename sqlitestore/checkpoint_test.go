package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// autoCheckpoint is at how many bytes written ahead SQLite's own checkpoint in COMMIT begins.
const autoCheckpoint = 12_000 * 4096

// TestStore_Checkpoints proves that what is written ahead comes into the database file while writers go on without a
// pause, long before SQLite would do it in a COMMIT.
func TestStore_Checkpoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "normal"})
	writeMany(t, s, "a", 2000) // 40 MB in both tables
	if ahead := size(t, path+"-wal"); ahead >= autoCheckpoint {
		t.Errorf("%d MiB are written ahead", ahead>>20)
	}
	eventually(t, "the database file has most of what was written", func() bool { return size(t, path) > 20<<20 })
}

// TestStore_CheckpointsBehindReader proves that somebody who goes on reading an old state holds up the checkpoint and no
// writer, and that the checkpoint is made up for when he has gone.
func TestStore_CheckpointsBehindReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "normal"})
	create(t, s, "a", `1`)
	reader, err := plain(t, path).Begin()
	if err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := reader.QueryRow("SELECT count(*) FROM objects").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	writeMany(t, s, "b", 1000)
	if n := size(t, path); n > 1<<20 {
		t.Errorf("%d MiB came into the file of which somebody reads an old state", n>>20)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	writeMany(t, s, "c", 1000)
	eventually(t, "the database file has most of what was written", func() bool { return size(t, path) > 20<<20 })
}

// writeMany makes n objects of 10 KB, with 8 writers.
func writeMany(t *testing.T, s storage.Store, prefix string, n int) {
	t.Helper()
	value := []byte(`"` + strings.Repeat("x", 10_000) + `"`)
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := w; i < n; i += 8 {
				write := storage.Write{Op: storage.OpCreate, Key: key(fmt.Sprint(prefix, i)), Value: value}
				if _, err := s.Write(t.Context(), write); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after a minute: %s", what)
		}
	}
}
