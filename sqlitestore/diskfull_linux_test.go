package sqlitestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// small mounts a file system of so many bytes, which only root can.
func small(t *testing.T, bytes string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestStore_DiskFull proves the same on a disk that is full, with a start and an end while it is.
func TestStore_DiskFull(t *testing.T) {
	dir := small(t, "2m")
	path := filepath.Join(dir, "kubarium.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "a", `1`)
	filler := filepath.Join(dir, "filler")
	fill(t, filler)
	acknowledged := map[string]bool{"a": true}
	failed := false
	for i := range 200 {
		name := "b" + strings.Repeat("x", i)
		_, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key(name), Value: []byte(`"` + strings.Repeat("x", 5000) + `"`)})
		if err == nil {
			acknowledged[name] = true
			continue
		}
		failed = true
		refuses(t, err, storage.ErrFull, "no space left")
	}
	if !failed {
		t.Fatal("the disk was not full")
	}
	refuses(t, s.Healthy(), storage.ErrFull, "no space left")
	if err := s.Close(); err != nil {
		refuses(t, err, storage.ErrFull, "no space left")
	}
	s, err = sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("start: %v", err)
		}
		remove(t, filler)
		if s, err = sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path}); err != nil {
			t.Fatal(err)
		}
	} else {
		remove(t, filler)
	}
	defer s.Close()
	create(t, s, "last", `1`)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for name := range acknowledged {
		if _, err := s.Get(t.Context(), key(name), 0); err != nil {
			t.Error(err)
		}
	}
}

// fill writes a file until there is no space left.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
