package sqlitestore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// TestStore_History proves that revisions expire by themselves once they are older than the history, that their rows go
// although they are many slices, and that what is still needed stays.
func TestStore_History(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "off", History: 300 * time.Millisecond})
	keep := create(t, s, "keep", `1`)
	r := create(t, s, "a", `0`)
	for i := range 3500 { // 3 slices and a half
		var err error
		r, err = s.Write(t.Context(), storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: []byte{'0' + byte(i%2+1)}, Expect: r.Revision})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Get(t.Context(), r.Key, r.Revision-1); err != nil {
		t.Errorf("inside the history: %v", err)
	}
	other := plain(t, path)
	rows := 0
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err := other.QueryRow("SELECT count(*) FROM changes").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		if rows <= 3 {
			break
		}
	}
	if rows > 3 {
		t.Errorf("%d rows are left of the log", rows)
	}
	if newest, compacted := s.Head(); newest != r.Revision || compacted < newest-1 || compacted > newest {
		t.Errorf("head is %d, compacted to %d; the newest is %d", newest, compacted, r.Revision)
	}
	if got, err := s.Get(t.Context(), keep.Key, r.Revision); err != nil || got.Revision != keep.Revision {
		t.Errorf("the oldest object: %d, %v", got.Revision, err)
	}
}

// TestStore_FilesStaySmall proves that the log which SQLite writes ahead is bounded under writes without a pause, and
// that pages which were freed can be given back in steps.
func TestStore_FilesStaySmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "off"})
	value := append(append([]byte{'"'}, bytes.Repeat([]byte("x"), 3<<19)...), '"') // 1.5 MiB
	r := create(t, s, "a", string(value))
	largest := int64(0)
	for i := range 40 { // 120 MiB in both tables
		value[1] = 'a' + byte(i%2)
		var err error
		r, err = s.Write(t.Context(), storage.Write{Op: storage.OpUpdate, Key: r.Key, Value: bytes.Clone(value), Expect: r.Revision})
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	if largest > 64<<20 {
		t.Errorf("the write-ahead log grew to %d MiB", largest>>20)
	}
	var mode int
	if err := plain(t, path).QueryRow("PRAGMA auto_vacuum").Scan(&mode); err != nil || mode != 2 {
		t.Errorf("auto_vacuum is %d, %v; want 2, incremental", mode, err)
	}
}
