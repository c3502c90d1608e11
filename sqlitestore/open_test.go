package sqlitestore_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/sqlitestore"
)

// plain opens the file as any other program would.
func plain(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func mustExec(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// contents reads every file of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(data)
	}
	return found
}

// TestOpen_Refused proves that a file that is not ours to open is refused in one line that says why, and that neither it
// nor its folder is touched.
func TestOpen_Refused(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"Newer", func(t *testing.T, path string) {
			s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path + ".lock"); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			mustExec(t, db, "PRAGMA user_version = 99")
			mustExec(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, "newer version of Kubarium: its schema is version 99"},
		{"Text", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("apiVersion: v1\n", 20)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a Kubarium database"},
		{"Short", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("SQLite format 3\x00"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a Kubarium database"},
		{"AnotherProgram", func(t *testing.T, path string) {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			mustExec(t, db, "CREATE TABLE kine (id INTEGER)")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, "another program's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubarium.db")
			c.make(t, path)
			before := contents(t, filepath.Dir(path))
			_, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error is %v, want one line with %q", err, c.want)
			}
			after := contents(t, filepath.Dir(path))
			for name, text := range after {
				if before[name] != text {
					t.Errorf("%s was touched", name)
				}
			}
			if len(after) != len(before) {
				t.Errorf("%d files became %d", len(before), len(after))
			}
		})
	}
}

// TestOpen_Folder proves that a path where no files can be made is refused in one line.
func TestOpen_Folder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	paths := []string{dir, filepath.Join(dir, "file", "kubarium.db")}
	if os.Getuid() > 0 { // root may write everywhere, and Windows has no such modes
		closed := filepath.Join(dir, "closed")
		if err := os.Mkdir(closed, 0o500); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(closed, "kubarium.db"), filepath.Join(closed, "new", "kubarium.db"))
	}
	for _, path := range paths {
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
		if err == nil {
			s.Close()
			t.Errorf("%s was opened", path)
		} else if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
			t.Errorf("error is %q", err)
		}
	}
}
