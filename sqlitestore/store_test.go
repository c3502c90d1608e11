package sqlitestore_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// mustOpen opens a store that is checked and closed at the end of the test.
func mustOpen(t testing.TB, o sqlitestore.Options) *sqlitestore.Store {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "kubarium.db")
	}
	s, err := sqlitestore.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Check(context.Background()); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t testing.TB, s storage.Store, name, value string) storage.Record {
	t.Helper()
	r, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key(name), Value: []byte(value)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func key(name string) storage.Key { return storage.NewKey("configmaps", "default", name) }

// TestStore_Outside proves that each kind of change by plain SQL reaches the follower soon, in order, as what it is.
func TestStore_Outside(t *testing.T) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("no sqlite3 shell")
	}
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path})
	got := make(chan storage.Change, 16)
	if _, err := s.Follow(func(b storage.Batch) {
		for _, c := range b.Changes {
			got <- c
		}
	}); err != nil {
		t.Fatal(err)
	}
	last := create(t, s, "a", `{"data":{}}`).Revision
	if c := <-got; c.Outside || c.Revision != last {
		t.Fatalf("own write came as %+v", c)
	}
	for _, step := range []struct{ sql, want string }{
		{`UPDATE objects SET value = json_set(value, '$.data.k', 'v') WHERE namespace = 'default' AND name = 'a'`, "U default/a"},
		{`REPLACE INTO objects (resource, key, value) VALUES ('configmaps', 'default/a', 'not JSON')`, "U default/a"},
		{`UPDATE objects SET key = 'default/b'`, "D default/a,C default/b"},
		{`DELETE FROM objects`, "D default/b"},
		{`INSERT INTO objects (resource, key, value) VALUES ('configmaps', 'default/b', '{}')`, "C default/b"},
	} {
		if out, err := exec.Command(shell, path, step.sql).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", step.sql, err, out)
		}
		for _, want := range strings.Split(step.want, ",") {
			select {
			case c := <-got:
				if have := string(c.Type) + " " + c.Key.Name; have != want || !c.Outside || c.Revision != last+1 {
					t.Fatalf("after %s: %s outside=%v revision=%d, want %s at %d", step.sql, have, c.Outside, c.Revision, want, last+1)
				}
				last++
			case <-time.After(time.Minute):
				t.Fatalf("after %s: no change", step.sql)
			}
		}
	}
	if r, err := s.Get(t.Context(), key("b"), 0); err != nil || r.Revision != last {
		t.Errorf("object is at %d, %v; want %d", r.Revision, err, last)
	}
}

// TestStore_Compact proves what stays readable on both sides of the boundary.
func TestStore_Compact(t *testing.T) {
	s := mustOpen(t, sqlitestore.Options{Path: ":memory:"})
	a := create(t, s, "a", `1`)
	b, err := s.Write(t.Context(), storage.Write{Op: storage.OpUpdate, Key: a.Key, Value: []byte(`2`), Expect: a.Revision})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Get(t.Context(), a.Key, a.Revision); err != nil || string(r.Value) != `1` {
		t.Errorf("before compaction: %s, %v", r.Value, err)
	}
	if err := s.Compact(t.Context(), b.Revision+1); !errors.Is(err, storage.ErrTooLarge) {
		t.Errorf("compaction above head: %v", err)
	}
	if err := s.Compact(t.Context(), b.Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), a.Key, a.Revision); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("below the boundary: %v", err)
	}
	if p, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps", At: b.Revision}); err != nil || len(p.Records) != 1 {
		t.Errorf("at the head: %v, %v", p, err)
	}
	if _, err := s.Changes(t.Context(), "", a.Revision, 0); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("changes: %v", err)
	}
}

// TestOpen_InUse proves that a second owner is refused.
func TestOpen_InUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	mustOpen(t, sqlitestore.Options{Path: path})
	if _, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path}); err == nil || !strings.Contains(err.Error(), "in use by another Kubarium") {
		t.Errorf("second owner: %v", err)
	}
}
