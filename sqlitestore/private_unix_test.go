//go:build unix

package sqlitestore_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"kubarium/sqlitestore"
)

// TestOpen_Private proves that the files are for their owner alone, also those of a database that others could read.
func TestOpen_Private(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "kubarium.db")
	check := func(t *testing.T) {
		t.Helper()
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			info, err := os.Stat(path + suffix)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", suffix, info.Mode(), err)
			}
		}
	}
	t.Run("New", func(t *testing.T) {
		create(t, mustOpen(t, sqlitestore.Options{Path: path}), "a", `1`)
		check(t)
	})
	for _, suffix := range []string{"", ".lock"} {
		if err := os.Chmod(path+suffix, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("Old", func(t *testing.T) {
		create(t, mustOpen(t, sqlitestore.Options{Path: path}), "b", `1`)
		check(t)
	})
}
