package sqlitestore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// rename, remove and copyFile do to files what a person does at a prompt.
func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// copyFile copies as cp does: into the file that is there, if there is one.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// backup makes a database with one object "old", as a copy from an earlier day, and returns where it is.
func backup(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backup.db")
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "old", `1`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// refuses proves that a call fails as the store as a whole does, with a line that has the text.
func refuses(t *testing.T, err, kind error, text string) {
	t.Helper()
	var f *storage.Failure
	if !errors.As(err, &f) || !errors.Is(err, kind) || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error is %v, want %v with %q", err, kind, text)
	}
}

// detachments are what somebody may do to the files of a store that is open.
var detachments = []struct {
	name string
	do   func(t *testing.T, path, backup string)
	text string // of the failure
	// left is where the objects are afterwards, from the folder of the database; "" when nowhere.
	left string
	next string // the object that the next start on the same path has; "" for none
}{
	{"RemoveDatabase", func(t *testing.T, path, _ string) { remove(t, path) }, "the database file", "", ""},
	{"MoveDatabase", func(t *testing.T, path, _ string) { rename(t, path, path+".moved") }, "the database file", "kubarium.db.moved", ""},
	{"MoveBackupOver", func(t *testing.T, path, backup string) {
		copyFile(t, backup, path+".new")
		rename(t, path+".new", path)
	}, "kubarium.db was replaced", "", "old"},
	{"CopyBackupOver", func(t *testing.T, path, backup string) { copyFile(t, backup, path) }, "kubarium.db was overwritten", "", "old"},
	{"CopySameOver", func(t *testing.T, path, _ string) { copyFile(t, path, path) }, "kubarium.db was overwritten", "", ""},
	{"RemoveLog", func(t *testing.T, path, _ string) { remove(t, path+"-wal") }, "the write-ahead log", "kubarium.db", "a"},
	{"ReplaceLog", func(t *testing.T, path, _ string) {
		remove(t, path+"-wal")
		if err := os.WriteFile(path+"-wal", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}, "kubarium.db-wal was replaced", "kubarium.db", "a"},
	{"RemoveIndex", func(t *testing.T, path, _ string) { remove(t, path+"-shm") }, "the index of the write-ahead log", "kubarium.db", "a"},
	{"RemoveLock", func(t *testing.T, path, _ string) { remove(t, path+".lock") }, "the lock file", "kubarium.db", "a"},
	{"RemoveFolder", func(t *testing.T, path, _ string) { rename(t, filepath.Dir(path), filepath.Dir(path)+".moved") }, "was removed", "../data.moved/kubarium.db", ""},
}

// TestStore_Detached proves that a store whose files were removed or replaced says so and acknowledges nothing more, that
// what it had acknowledged is in the file it had, wherever that is, and that its log is never applied to another.
func TestStore_Detached(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps files in their places that are open, see TestStore_FilesHeld")
	}
	for _, c := range detachments {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			path, copied := filepath.Join(dir, "kubarium.db"), backup(t)
			s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			a := create(t, s, "a", `1`)
			for range 3 {
				create(t, s, "b"+string(rune('0'+a.Revision)), `1`)
				a.Revision++
			}
			newest, _ := s.Head()
			followed := false
			if _, err := s.Follow(func(storage.Batch) { followed = true }); err != nil {
				t.Fatal(err)
			}
			c.do(t, path, copied)
			_, err = s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key("lost"), Value: []byte(`1`)})
			refuses(t, err, storage.ErrDetached, c.text)
			refuses(t, s.Healthy(), storage.ErrDetached, c.text)
			_, err = s.List(t.Context(), storage.ListOptions{Resource: "configmaps"})
			refuses(t, err, storage.ErrDetached, c.text)
			refuses(t, s.Compact(t.Context(), newest), storage.ErrDetached, c.text)
			if db, err := s.Beside("rw"); err == nil {
				refuses(t, db.Ping(), storage.ErrDetached, "restart Kubarium")
				db.Close()
			}
			refuses(t, s.Close(), storage.ErrDetached, c.text)
			if followed {
				t.Error("the follower was told of what was not acknowledged")
			}
			if c.name == "CopyBackupOver" || c.name == "MoveBackupOver" {
				if a, b := contents(t, dir)["kubarium.db"], contents(t, filepath.Dir(copied))["backup.db"]; a != b {
					t.Error("the restored file was written to")
				}
			}
			if c.left != "" {
				whole := filepath.Join(t.TempDir(), "whole.db")
				copyFile(t, filepath.Join(dir, c.left), whole)
				has(t, whole, "a")
			}
			next := mustOpen(t, sqlitestore.Options{Path: path})
			if head, _ := next.Head(); c.next != "" && head < newest {
				t.Errorf("the next start is at %d, the last was at %d", head, newest)
			}
			if c.next != "" {
				if _, err := next.Get(t.Context(), key(c.next), 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// has proves that a database has an object.
func has(t *testing.T, path, name string) {
	t.Helper()
	if _, err := mustOpen(t, sqlitestore.Options{Path: path}).Get(t.Context(), key(name), 0); err != nil {
		t.Error(err)
	}
}

// TestStore_DetachedUnasked proves that nobody need write for it to be noticed.
func TestStore_DetachedUnasked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps files in their places that are open, see TestStore_FilesHeld")
	}
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create(t, s, "a", `1`)
	rename(t, path, path+".moved")
	eventually(t, "the store is detached", func() bool { return errors.Is(s.Healthy(), storage.ErrDetached) })
	eventually(t, "the log is empty", func() bool { return size(t, path+"-wal") == 0 })
}
