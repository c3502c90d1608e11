package sqlitestore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

func mustSave(t testing.TB, s *sqlitestore.Store, name string) storage.Snapshot {
	t.Helper()
	saved, err := s.SaveSnapshot(t.Context(), name, storage.SaveNew)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func mustWrite(t testing.TB, s *sqlitestore.Store, w storage.Write) storage.Record {
	t.Helper()
	r, err := s.Write(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// awaitCount waits until a question about the file has an answer.
func awaitCount(t *testing.T, db *sql.DB, question string, want int) {
	t.Helper()
	have := -1
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err := db.QueryRow(question).Scan(&have); err != nil {
			t.Fatal(err)
		}
		if have == want {
			return
		}
	}
	t.Errorf("%s: %d, want %d", question, have, want)
}

// TestStore_Snapshots_Sweep proves which rows of the log stay: one for each object that there is, and what each snapshot needs; and
// that nothing is left over of a snapshot that is gone.
func TestStore_Snapshots_Sweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "off"})
	other := plain(t, path)
	compact := func() {
		t.Helper()
		head, _ := s.Head()
		if err := s.Compact(t.Context(), head); err != nil {
			t.Fatal(err)
		}
		awaitCount(t, other, "SELECT compacted - swept FROM store", 0)
	}
	hot, gone := create(t, s, "hot", `0`), create(t, s, "gone", `0`)
	mustSave(t, s, "first")
	mustWrite(t, s, storage.Write{Op: storage.OpDelete, Key: gone.Key, Expect: gone.Revision})
	change := func(times int) {
		for i := range times {
			hot = mustWrite(t, s, storage.Write{Op: storage.OpUpdate, Key: hot.Key, Value: fmt.Appendf(nil, `"%d %d"`, i, hot.Revision), Expect: hot.Revision})
		}
	}
	change(1200) // more than a slice
	mustSave(t, s, "second")
	change(3)
	back := create(t, s, "gone", `1`)
	mustWrite(t, s, storage.Write{Op: storage.OpDelete, Key: back.Key, Expect: back.Revision})
	compact()
	// hot: first, second, now; gone: first, and two deletions.
	awaitCount(t, other, "SELECT count(*) FROM changes", 6)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.DeleteSnapshot(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	awaitCount(t, other, "SELECT count(*) FROM changes", 2)
	compact()
	if err := s.DeleteSnapshot(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	awaitCount(t, other, "SELECT count(*) FROM changes", 1)
}

// TestStore_Snapshots_Reopen proves that snapshots outlive the process, and that another program's changes are taken back too.
func TestStore_Snapshots_Reopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	create(t, s, "a", `1`)
	saved := mustSave(t, s, "s")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, sqlitestore.Options{Path: path})
	if all, err := s.Snapshots(t.Context()); err != nil || !slices.Equal(all, []storage.Snapshot{saved}) {
		t.Errorf("%v %v", all, err)
	}
	mustExec(t, plain(t, path), "UPDATE objects SET value = '2'")
	mustExec(t, plain(t, path), "INSERT INTO objects (resource, key, value) VALUES ('configmaps', 'b', '1')")
	done, err := s.Restore(t.Context(), "s")
	if err != nil || done.Updated != 1 || done.Deleted != 1 {
		t.Errorf("%+v %v", done, err)
	}
	if r, err := s.Get(t.Context(), key("a"), 0); err != nil || string(r.Value) != "1" {
		t.Errorf("%s %v", r.Value, err)
	}
}

// TestOpen_OlderSchema proves that a file of the first version is brought up to date with all that is in it.
func TestOpen_OlderSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	step, err := os.ReadFile("schema/0001_objects_and_changes.sql")
	if err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, old, string(step)+"; PRAGMA user_version = 1; PRAGMA application_id = 1263878721")
	mustExec(t, old, "INSERT INTO objects (resource, key, value) VALUES ('configmaps', 'default/a', '1'), ('configmaps', 'default/b', '1')")
	mustExec(t, old, "UPDATE objects SET value = '2' WHERE key = 'default/a'")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := sqlitestore.Examine(t.Context(), path)
	if err != nil || len(report.Problems) != 0 || report.Whole["configmaps"] != 2 || len(report.Damaged) != 0 {
		t.Errorf("before it is opened: %+v %v", report, err)
	}
	s := mustOpen(t, sqlitestore.Options{Path: path})
	if head, _ := s.Head(); head != 3 {
		t.Errorf("head %d", head)
	}
	if r, err := s.Get(t.Context(), key("a"), 1); err != nil || string(r.Value) != "1" {
		t.Errorf("%s %v", r.Value, err)
	}
	mustSave(t, s, "s")
	create(t, s, "c", `1`)
	if done, err := s.Restore(t.Context(), "s"); err != nil || done.Deleted != 1 || done.Head != 5 {
		t.Errorf("%+v %v", done, err)
	}
}

// describeAll writes down all objects with their revisions.
func describeAll(t testing.TB, s *sqlitestore.Store, at storage.Revision) string {
	t.Helper()
	page, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps", At: at})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range page.Records {
		lines = append(lines, fmt.Sprintf("%s@%d=%s", r.Key, r.Revision, r.Value))
	}
	return strings.Join(lines, " ")
}

// TestOpen_Begin proves that a new store begins with the state of another: of a revision that can be read, and of a snapshot
// that was compacted. Then both go their own ways.
func TestOpen_Begin(t *testing.T) {
	s := mustOpen(t, sqlitestore.Options{})
	a := create(t, s, "a", `1`)
	create(t, s, "b", `{"x": "ü"}`)
	saved := mustSave(t, s, "s")
	first := describeAll(t, s, 0)
	mustWrite(t, s, storage.Write{Op: storage.OpDelete, Key: a.Key, Expect: a.Revision})
	if err := s.Compact(t.Context(), saved.Revision+1); err != nil {
		t.Fatal(err)
	}
	now := create(t, s, "c", `1`).Revision
	create(t, s, "d", `1`)
	want := map[storage.Revision]string{saved.Revision: first, now: describeAll(t, s, now)}
	for at, want := range want {
		for _, path := range []string{":memory:", filepath.Join(t.TempDir(), "fork.db")} {
			f := mustOpen(t, sqlitestore.Options{Path: path, Begin: &sqlitestore.State{Of: s, At: at}})
			if have := describeAll(t, f, 0); have != want {
				t.Errorf("%s at %d:\nhave %s\nwant %s", path, at, have, want)
			}
			newest, compacted := f.Head()
			all, err := f.Snapshots(t.Context())
			if newest != at || compacted != at || len(all) != 0 || err != nil {
				t.Errorf("head %d, compacted %d, want %d; snapshots %v %v", newest, compacted, at, all, err)
			}
			if next := create(t, f, "e", `1`); next.Revision != at+1 {
				t.Errorf("next is %d", next.Revision)
			}
			b, err := f.Get(t.Context(), key("b"), 0)
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, f, storage.Write{Op: storage.OpUpdate, Key: b.Key, Value: []byte(`3`), Expect: b.Revision})
		}
	}
	if _, err := s.Get(t.Context(), key("e"), 0); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the first store has what was written to another: %v", err)
	}
}

// TestOpen_Begin_Refused proves that a state that cannot be read makes no file, and that no file is written over.
func TestOpen_Begin_Refused(t *testing.T) {
	s := mustOpen(t, sqlitestore.Options{})
	create(t, s, "a", `1`)
	head := create(t, s, "b", `1`).Revision
	if err := s.Compact(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "fork.db")
	for at, want := range map[storage.Revision]error{1: storage.ErrExpired, head + 1: storage.ErrTooLarge} {
		_, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Begin: &sqlitestore.State{Of: s, At: at}})
		if !errors.Is(err, want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("at %d: %v", at, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("at %d there is a file: %v", at, err)
		}
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Begin: &sqlitestore.State{Of: s, At: head}})
	if err == nil || !strings.Contains(err.Error(), "there is such a file already") {
		t.Errorf("over a file: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("the file was touched: %v", err)
	}
}

// BenchmarkSnapshot saves a state of 1,000 objects of 1 KB, and goes back to it after all of them were changed, with the full
// sync of a file.
func BenchmarkSnapshot(b *testing.B) {
	s, err := sqlitestore.Open(b.Context(), sqlitestore.Options{Path: filepath.Join(b.TempDir(), "kubarium.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	value := `{"data":"` + strings.Repeat("x", 1000) + `"}`
	for i := range 1000 {
		create(b, s, fmt.Sprint("a/", i), value)
	}
	mustSave(b, s, "s")
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.SaveSnapshot(b.Context(), "other", storage.Replace); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("restore/changed", func(b *testing.B) {
		db, err := s.Beside("rw")
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		for b.Loop() {
			b.StopTimer()
			if _, err := db.Exec("UPDATE objects SET value = json_set(value, '$.n', revision)"); err != nil {
				b.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond) // the writer looks for changes from outside, and sweeps
			b.StartTimer()
			if done, err := s.Restore(b.Context(), "s"); err != nil || done.Updated != 1000 {
				b.Fatal(done, err)
			}
		}
	})
	b.Run("restore/deleted", func(b *testing.B) {
		db, err := s.Beside("rw")
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		for b.Loop() {
			b.StopTimer()
			if _, err := db.Exec("DELETE FROM objects"); err != nil {
				b.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond)
			b.StartTimer()
			if done, err := s.Restore(b.Context(), "s"); err != nil || done.Created != 1000 {
				b.Fatal(done, err)
			}
		}
	})
	b.Run("fork", func(b *testing.B) {
		head, _ := s.Head()
		for b.Loop() {
			f, err := sqlitestore.Open(b.Context(), sqlitestore.Options{Path: ":memory:", Begin: &sqlitestore.State{Of: s, At: head}})
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}
