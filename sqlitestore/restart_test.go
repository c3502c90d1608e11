package sqlitestore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// killed makes a database as a process leaves it that was killed: a copy of its files while it runs, with the note that
// this process would find. It returns the path, and the newest revision that was acknowledged.
func killed(t *testing.T) (path string, acknowledged storage.Revision) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "kubarium.db")
	runAndKill(t, path, 200)
	note, err := os.ReadFile(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(note))
	for i, w := range words {
		if w == "revision" {
			for _, c := range words[i+1] {
				acknowledged = 10*acknowledged + storage.Revision(c-'0')
			}
		}
	}
	if acknowledged < 10 {
		t.Fatalf("the note is %s", note)
	}
	return path, acknowledged
}

// TestOpen_Killed proves what a start finds out when files were touched after the store was killed: it is refused in one
// line that says what to do, and nothing is changed; or it goes on with all that was acknowledged.
func TestOpen_Killed(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, path string)
		want string // in the refusal; "" when it goes on
	}{
		{"Untouched", func(*testing.T, string) {}, ""},
		{"RemoveLog", func(t *testing.T, path string) { remove(t, path+"-wal") }, "kubarium check --db"},
		{"EmptyLog", func(t *testing.T, path string) { truncate(t, path+"-wal", 0) }, "kubarium check --db"},
		{"CutLog", func(t *testing.T, path string) { truncate(t, path+"-wal", size(t, path+"-wal")/2) }, "kubarium check --db"},
		{"RemoveIndex", func(t *testing.T, path string) { remove(t, path+"-shm") }, ""},
		{"CutIndex", func(t *testing.T, path string) { truncate(t, path+"-shm", 100) }, ""},
		{"RemoveDatabase", func(t *testing.T, path string) { remove(t, path) }, "the database file is missing, but"},
		{"EmptyDatabase", func(t *testing.T, path string) { truncate(t, path, 0) }, "the database file is missing, but"},
		{"EmptyDatabaseNoLog", func(t *testing.T, path string) { truncate(t, path, 0); remove(t, path+"-wal") }, "the database file is empty"},
		{"MoveBackupOver", func(t *testing.T, path string) { rename(t, backup(t), path) }, "may belong to another file"},
		{"CopyBackupOver", func(t *testing.T, path string) { copyFile(t, backup(t), path) }, "was overwritten by another program"},
		{"CopySameOver", func(t *testing.T, path string) { copyFile(t, path, path) }, "was overwritten by another program"},
		{"CopyOldBackupOver", func(t *testing.T, path string) {
			copyFile(t, backup(t), path)
			written := time.Now().Add(-24 * time.Hour) // most programs that copy keep it
			if err := os.Chtimes(path, written, written); err != nil {
				t.Fatal(err)
			}
		}, "was overwritten by another program"},
		{"BackupWithoutLog", func(t *testing.T, path string) { remove(t, path+"-wal"); rename(t, backup(t), path) }, "changes are missing"},
		{"ForeignLog", func(t *testing.T, path string) {
			other, _ := killed(t)
			rename(t, other+"-wal", path+"-wal")
		}, "may belong to another file"},
		{"Moved", func(t *testing.T, path string) {
			for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
				copyFile(t, path+suffix, path+".new")
				rename(t, path+".new", path+suffix)
			}
		}, "remove " + "PATH.lock"},
		{"MovedWithoutNote", func(t *testing.T, path string) {
			for _, suffix := range []string{"", "-wal"} {
				copyFile(t, path+suffix, path+".new")
				rename(t, path+".new", path+suffix)
			}
			remove(t, path+".lock")
		}, ""},
		{"OldNote", func(t *testing.T, path string) {
			if err := os.WriteFile(path+".lock", []byte("4711\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"Shell", func(t *testing.T, path string) {
			mustExec(t, plain(t, path), "UPDATE objects SET value = '9'")
		}, ""},
		{"ShellClosed", func(t *testing.T, path string) {
			t.Run("Shell", func(t *testing.T) { mustExec(t, plain(t, path), "UPDATE objects SET value = '9'") })
			if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
				t.Fatal("the shell has left the log")
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (c.name == "CopyBackupOver" || c.name == "CopySameOver") {
				t.Skip("a file that is newer may have been written by SQLite: times change late")
			}
			path, acknowledged := killed(t)
			c.do(t, path)
			before := contents(t, filepath.Dir(path))
			s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if newest, _ := s.Head(); newest < acknowledged {
					t.Errorf("is at %d, but %d was acknowledged", newest, acknowledged)
				}
				if err := s.Check(t.Context()); err != nil {
					t.Error(err)
				}
				return
			}
			want := strings.ReplaceAll(c.want, "PATH", path)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error is %v, want one line with %q", err, want)
			}
			after := contents(t, filepath.Dir(path))
			for _, name := range []string{"kubarium.db", "kubarium.db-wal", "kubarium.db.lock"} {
				if before[name] != after[name] {
					t.Errorf("%s was touched", name)
				}
			}
		})
	}
}

// TestOpen_Accept proves that a database which has lost changes can be gone on with, that no revision is given twice, and
// that those who know the lost ones are told to begin anew.
func TestOpen_Accept(t *testing.T) {
	path, acknowledged := killed(t)
	copyFile(t, backup(t), path)
	remove(t, path+"-wal")
	if _, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path}); err == nil {
		t.Fatal("opened without being told to")
	}
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Accept: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	goesOnAbove(t, path, acknowledged)
}

// TestOpen_Restored proves the same of an older copy that somebody has put in the place of a database that was not in
// use: that is meant, and needs no word.
func TestOpen_Restored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	last := create(t, s, "a", `1`)
	last = create(t, s, "b", `1`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copyFile(t, backup(t), path)
	goesOnAbove(t, path, last.Revision)
}

// goesOnAbove proves that a database gives revisions above one that it does not have, and tells it as expired.
func goesOnAbove(t *testing.T, path string, lost storage.Revision) {
	t.Helper()
	s := mustOpen(t, sqlitestore.Options{Path: path})
	if newest, compacted := s.Head(); newest <= lost || compacted <= lost {
		t.Errorf("head is %d, compacted to %d; %d was acknowledged", newest, compacted, lost)
	}
	if _, err := s.Changes(t.Context(), "", lost, 0); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("changes behind %d: %v", lost, err)
	}
	if _, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps", At: lost}); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("list at %d: %v", lost, err)
	}
	if _, err := s.Get(t.Context(), key("old"), 0); err != nil {
		t.Error(err)
	}
	if r := create(t, s, "new", `1`); r.Revision <= lost+1 {
		t.Errorf("revision %d after %d", r.Revision, lost)
	}
}

// TestOpen_Missing proves that a database that is not there any more is begun anew.
func TestOpen_Missing(t *testing.T) {
	path, _ := killed(t)
	remove(t, path)
	remove(t, path+"-wal")
	if newest, _ := mustOpen(t, sqlitestore.Options{Path: path}).Head(); newest != 0 {
		t.Errorf("a new database is at %d", newest)
	}
}

// TestOpen_NotRegular proves that links in the place of the files that are written are refused, and what they lead to is
// left alone.
func TestOpen_NotRegular(t *testing.T) {
	for _, suffix := range []string{".lock", "-wal", "-shm"} {
		path := filepath.Join(t.TempDir(), "kubarium.db")
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, path+suffix); err != nil {
			if runtime.GOOS == "windows" {
				t.Skip("this user may not make links: ", err)
			}
			t.Fatal(err)
		}
		_, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
		if err == nil || !strings.Contains(err.Error(), path+suffix+" is not a regular file; remove it") {
			t.Errorf("%s: %v", suffix, err)
		}
		if text, _ := os.ReadFile(victim); string(text) != "precious" {
			t.Errorf("%s: the target has %q", suffix, text)
		}
	}
	path := filepath.Join(t.TempDir(), "kubarium.db")
	if err := os.WriteFile(path+".lock", []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err == nil || !strings.Contains(err.Error(), "not a lock file of Kubarium") {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path + ".lock"); string(text) != "precious" {
		t.Errorf("the foreign file has %q", text)
	}
}

func truncate(t *testing.T, path string, n int64) {
	t.Helper()
	if err := os.Truncate(path, n); err != nil {
		t.Fatal(err)
	}
}
