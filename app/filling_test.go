package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A database whose copy was killed is not served, not migrated and not accepted, each refused in one line that says what to do; check says
// what it is.
func TestMigrate_killed(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	db := filepath.Join(dir, "half.db")
	told := &sqlitestore.Told{From: 1, Changes: func(yield func(storage.Change) bool) {
		for _, suffix := range []string{"", "-wal"} { // what a process leaves that is killed now
			text, err := os.ReadFile(filepath.Join(dir, "new.db") + suffix)
			if err == nil {
				err = os.WriteFile(db+suffix, text, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}}
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: filepath.Join(dir, "new.db"), Begin: told})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "it does not have all objects yet"
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--db", db}, {"check", "--accept", "--db", db},
		{"migrate", "--from", db, "--to", filepath.Join(dir, "further.db")},
	} {
		if code, out, errs := run(args...); code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q: code %d, %q, %q", args, code, out, errs)
		}
	}
	if code, out, errs := run("check", "--db", db); code != 1 || errs != "" || !strings.Contains(out, "wrong: "+want) {
		t.Errorf("check: code %d, %q, %q", code, out, errs)
	}
	if exists(filepath.Join(dir, "further.db")) || exists(db+".pki") {
		t.Error("what was refused left files")
	}
}
