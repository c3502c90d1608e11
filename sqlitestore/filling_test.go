package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// TestOpen_Begin_Killed proves that a database whose copy was killed is refused, and never an empty one; and that a copy that was committed
// is whole, though its process was killed then.
func TestOpen_Begin_Killed(t *testing.T) {
	const objects = 300
	path := filepath.Join(t.TempDir(), "k.db")
	var killed []string
	kill := func(suffixes ...string) { // what a process leaves that is killed now
		dir := t.TempDir()
		for _, suffix := range suffixes {
			if _, err := os.Stat(path + suffix); err == nil {
				copyFile(t, path+suffix, filepath.Join(dir, "k.db"+suffix))
			}
		}
		killed = append(killed, filepath.Join(dir, "k.db"))
	}
	told := &sqlitestore.Told{From: objects, Changes: func(yield func(storage.Change) bool) {
		kill("")
		kill("", "-wal", "-shm")
		for i := range objects {
			if !yield(storage.Change{Revision: storage.Revision(i + 1), Type: storage.Created, Key: key(fmt.Sprint(i)), Value: []byte(`{}`)}) {
				return
			}
		}
		kill("", "-wal", "-shm")
	}}
	mustOpen(t, sqlitestore.Options{Path: path, Begin: told})
	const want = "it does not have all objects yet"
	for _, path := range killed {
		for _, begin := range []sqlitestore.Beginning{nil, told} {
			s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Begin: begin})
			if err == nil {
				t.Errorf("it opened: %v", s.Close())
			} else if begin == nil && !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("open: %v", err)
			}
		}
		if r, err := sqlitestore.Examine(t.Context(), path); err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], want) {
			t.Errorf("examined: %+v, %v", r, err)
		}
	}
	killed = nil
	kill("", "-wal", "-shm")
	whole := mustOpen(t, sqlitestore.Options{Path: killed[0]})
	if page, err := whole.List(t.Context(), storage.ListOptions{Resource: key("").Resource}); err != nil || len(page.Records) != objects {
		t.Errorf("after the copy there are %d objects, %v", len(page.Records), err)
	}
	var gives int
	if err := plain(t, path).QueryRow("PRAGMA auto_vacuum").Scan(&gives); err != nil || gives != 2 {
		t.Errorf("auto_vacuum is %d, %v", gives, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".kubarium-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
}
