package story_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"kubarium/flow"
	"kubarium/tui/story"
)

// sqlFlow records a statement as the store does.
func sqlFlow(text string, args ...any) *flow.Flow {
	l := flow.NewLog(flow.Limits{})
	r := l.Begin(nil)
	r.Statement(text, 1, 0, args...)
	r.Publish(flow.Whole)
	return l.Get(1)
}

func mustOpen(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// rowsOf returns the rows of a query with the types of their values.
func rowsOf(t *testing.T, db *sql.DB, query string, args ...any) (out []string) {
	t.Helper()
	found, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for found.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%#v", values))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A copied statement returns what the original did with any bound values.
func TestSQL(t *testing.T) {
	type revision int64
	db := mustOpen(t)
	for text, args := range map[string][]any{
		`SELECT ?, typeof(?)`: {"it's", "it's"},
		"SELECT ?1, hex(?1), typeof(?1), ?2, '?', \"x?\" FROM (SELECT 1 AS \"x?\") -- why?\n WHERE ?3 IS NULL /* ? " +
			"*/ AND ?2 < 0": {"a\nb\x00c", -7, nil},
		`SELECT hex(?), typeof(?)`:          {[]byte("a'\x00\xff"), []byte{}},
		`SELECT hex(?), typeof(?)` + " ":    {"default/\xff\xff", "\x1b[1m"},
		`SELECT ?, typeof(?), ?, typeof(?)`: {revision(1 << 60), revision(3), 0.1, 1e300},
		`SELECT ?, ?2, ?`:                   {1, 2, 3},
		`SELECT typeof(?), ?`:               {[]byte(nil), uint32(9)},
		`SELECT ?, ?`:                       {"-- no; comment", strings.Repeat("x", 120)},
		`SELECT typeof(?), ? || ';'`:        {"7", "?1"},
	} {
		got := story.SQL(sqlFlow(text, args...))
		if want := rowsOf(t, db, text, args...); !strings.HasSuffix(got, ";\n") ||
			!reflect.DeepEqual(rowsOf(t, db, got), want) {
			t.Errorf("%s\n%s\n got %s\nwant %s", text, got, rowsOf(t, db, got), want)
		}
	}
}

// A written object is bound completely, though the record of the statement shortens it.
func TestSQL_LongValue(t *testing.T) {
	db := mustOpen(t)
	if _, err := db.Exec(`CREATE TABLE objects (key TEXT PRIMARY KEY, value TEXT NOT NULL)`); err != nil {
		t.Fatal(err)
	}
	object := `{"kind":"ConfigMap","data":{"k":"it's` + strings.Repeat("é…", 200) + `"}}`
	f := sqlFlow(`INSERT INTO objects VALUES (?, ?)`, "default/a", object)
	f.Effects = []flow.Effect{{After: []byte(strings.Replace(object, "it", "if", 1))}, {Before: []byte(object)}}
	if _, err := db.Exec(story.SQL(f)); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, db, `SELECT * FROM objects`),
		fmt.Sprintf("%#v", []any{"default/a", object}); len(got) != 1 || got[0] != want {
		t.Errorf("%s, want %s", got, want)
	}
	f.Effects = nil
	if got := story.SQL(f); !strings.HasPrefix(got, "-- value 2 is not recorded in full: {\"kind\"") ||
		!strings.Contains(got, "\n-- INSERT INTO objects VALUES ('default/a', ?2);\n") {
		t.Errorf("without what it wrote: %s", got)
	}
	if _, err := db.Exec(story.SQL(f)); err != nil {
		t.Errorf("a comment does not run: %v", err)
	}
	f.Target.Resource, f.Effects = "secrets", []flow.Effect{{After: []byte(object)}}
	if got := story.SQL(f); !strings.HasPrefix(got, "-- value 2 may hold secrets") ||
		strings.Contains(got, "ConfigMap") {
		t.Errorf("masked: %s", got)
	}
	if got := story.SQL(f, story.Unmasked); !strings.HasPrefix(got, "INSERT") {
		t.Errorf("unmasked: %s", got)
	}
	if got := story.SQL(req("A", "get", "web", 200)); got != "" {
		t.Errorf("no statement: %q", got)
	}
}
