package sqlitestore_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kubarium/sqlitestore"
)

// A temporary database whose process was killed goes when the next one begins; one that is in use, and what is none, stays.
func TestOpen_SweepsTemporary(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	first, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	inUse := filepath.Dir(first.Path)
	for _, name := range []string{"kubarium-17", "kubarium-mine", "kubarium-18"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "kubarium-18" {
			continue // without a database
		}
		if err := os.WriteFile(filepath.Join(folder, name, "kubarium.db.lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{inUse, filepath.Join(folder, "kubarium-17"), filepath.Join(folder, "kubarium-mine")} {
		if err := os.Chtimes(filepath.Join(dir, "kubarium.db.lock"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	second, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for dir, stays := range map[string]bool{inUse: true, filepath.Join(folder, "kubarium-17"): false, filepath.Join(folder, "kubarium-mine"): true, filepath.Join(folder, "kubarium-18"): true} {
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
