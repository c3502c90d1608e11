package sqlitestore_test

import (
	"os"
	"path/filepath"
	"testing"

	"kubarium/sqlitestore"
)

// TestStore_FilesHeld proves that Windows keeps the files of a store that is open in their places, and the folder that they
// are in, and that the store goes on and leaves only its database and its lock file.
func TestStore_FilesHeld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "kubarium.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create(t, s, "a", `1`)
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		if os.Remove(path+suffix) == nil {
			t.Errorf("%s was removed", suffix)
		}
		if os.Rename(path+suffix, path+suffix+".moved") == nil {
			t.Errorf("%s was renamed", suffix)
		}
		if os.Rename(backup(t), path+suffix) == nil {
			t.Errorf("%s was replaced", suffix)
		}
	}
	if os.Rename(dir, dir+".moved") == nil {
		t.Error("the folder was renamed")
	}
	create(t, s, "b", `1`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := contents(t, dir); len(left) != 2 {
		t.Errorf("%d files are left", len(left))
	}
	has(t, path, "a")
	has(t, path, "b")
}
