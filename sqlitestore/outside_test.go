package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// TestStore_ErrBusy proves that a foreign lock fails writes after a while, never reads, and harms nothing when it ends.
func TestStore_ErrBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path})
	const limit = 250 * time.Millisecond
	sqlitestore.SetBusyAfter(s, limit)
	a := create(t, s, "a", `1`)
	other := plain(t, path)
	mustExec(t, other, "BEGIN IMMEDIATE")
	for name, call := range map[string]func() error{
		"write": func() error {
			_, err := s.Write(t.Context(), storage.Write{Op: storage.OpUpdate, Key: a.Key, Value: []byte(`2`), Expect: a.Revision})
			return err
		},
		"compact": func() error { return s.Compact(t.Context(), a.Revision) },
	} {
		begun := time.Now()
		if err := call(); !errors.Is(err, storage.ErrBusy) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(begun); took < limit || took > limit+2*time.Second {
			t.Errorf("%s was busy after %v", name, took)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Write(ctx, storage.Write{Op: storage.OpCreate, Key: key("b"), Value: []byte(`1`)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("write with a deadline: %v", err)
	}
	if r, err := s.Get(t.Context(), a.Key, 0); err != nil || string(r.Value) != `1` {
		t.Errorf("get: %s, %v", r.Value, err)
	}
	mustExec(t, other, "ROLLBACK")
	if r := create(t, s, "c", `1`); r.Revision <= a.Revision {
		t.Errorf("revision %d after %d", r.Revision, a.Revision)
	}
}

// TestStore_OutsideSoon proves that the follower has a change by another program within 200 ms, as the median of five.
func TestStore_OutsideSoon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path})
	told := make(chan storage.Change, 1)
	if _, err := s.Follow(func(b storage.Batch) { told <- b.Changes[0] }); err != nil {
		t.Fatal(err)
	}
	other := plain(t, path)
	var took []time.Duration
	for i := range 5 {
		name := fmt.Sprint("default/", i)
		time.Sleep(time.Duration(i) * 30 * time.Millisecond) // at different times between two looks
		mustExec(t, other, "INSERT INTO objects (resource, key, value) VALUES ('configmaps', ?, '{}')", name)
		begun := time.Now()
		if c := <-told; c.Key.Name != name || !c.Outside {
			t.Fatalf("told of %s, outside=%t", c.Key, c.Outside)
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	t.Logf("told after %v", took)
	if took[2] > 200*time.Millisecond {
		t.Errorf("median is %v", took[2])
	}
}

// TestStore_OutsideAlways proves that no change by another program is missed, whenever it comes: right behind one of
// ours, and at any time between two looks.
func TestStore_OutsideAlways(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "normal"})
	told := make(chan storage.Change, 2)
	if _, err := s.Follow(func(b storage.Batch) {
		for _, c := range b.Changes {
			told <- c
		}
	}); err != nil {
		t.Fatal(err)
	}
	other := plain(t, path)
	for i := range 40 {
		if i%2 == 0 {
			create(t, s, fmt.Sprint("own-", i), `1`)
			<-told
		}
		time.Sleep(time.Duration(i*7) * time.Millisecond)
		mustExec(t, other, "INSERT INTO objects (resource, key, value) VALUES ('configmaps', ?, '{}')", fmt.Sprint("default/", i))
		select {
		case c := <-told:
			if !c.Outside {
				t.Fatalf("told of %s, which is not outside", c.Key)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("not told of change %d", i)
		}
	}
}

// TestStore_ForeignTrigger proves that changes which someone's own trigger makes beside ours are followed, and that each
// writer learns the revision of its own change.
func TestStore_ForeignTrigger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path})
	mustExec(t, plain(t, path), `CREATE TRIGGER audit AFTER INSERT ON objects WHEN NEW.resource = 'configmaps' BEGIN
	INSERT INTO objects (resource, key, value) VALUES ('audits', NEW.key, '{}'); END`)
	var told []storage.Change
	if _, err := s.Follow(func(b storage.Batch) { told = append(told, b.Changes...) }); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		r := create(t, s, fmt.Sprint(i), `1`)
		stored, err := s.Get(t.Context(), r.Key, 0)
		if err != nil || stored.Revision != r.Revision {
			t.Errorf("created at %d, is at %d, %v", r.Revision, stored.Revision, err)
		}
	}
	logged, err := s.Changes(t.Context(), "", 0, 0)
	if err != nil || len(told) != 6 || len(logged) != 6 {
		t.Fatalf("told of %d changes, %d are logged, %v; want 6", len(told), len(logged), err)
	}
	for i := range told {
		if told[i].Revision != logged[i].Revision || told[i].Key != logged[i].Key {
			t.Errorf("told of %d %s, logged is %d %s", told[i].Revision, told[i].Key, logged[i].Revision, logged[i].Key)
		}
	}
}

// TestTriggers proves what the log says of each way to write the table objects with plain SQL: the type of the change, and the
// version that it met. A mark stands for a foreign trigger that writes in Kubarium's own transaction.
func TestTriggers(t *testing.T) {
	const there = "INSERT INTO objects (resource, key, value) VALUES ('r', 'a', '1')" // at revision 1
	for name, c := range map[string]struct{ do, want string }{
		"insert":          {"INSERT INTO objects (resource, key, value) VALUES ('r', 'b', '1')", "2C0"},
		"said revision":   {"INSERT INTO objects (resource, key, value, revision) VALUES ('r', 'b', '1', 7)", "2C0"},
		"replace":         {"REPLACE INTO objects (resource, key, value) VALUES ('r', 'a', '2')", "2U1"},
		"replace by same": {"REPLACE INTO objects (resource, key, value, revision) SELECT resource, key, value, revision FROM objects", "2U1"},
		"replace, told of": {"PRAGMA recursive_triggers = ON; REPLACE INTO objects (resource, key, value) VALUES ('r', 'a', '2')",
			"2D1 3C0"},
		"replace the deleted": {"DELETE FROM objects; REPLACE INTO objects (resource, key, value) VALUES ('r', 'a', '2')", "2D1 3C0"},
		"upsert": {"INSERT INTO objects (resource, key, value) VALUES ('r', 'a', '2'), ('r', 'b', '1') ON CONFLICT DO UPDATE SET value = excluded.value",
			"2U1 3C0"},
		"do nothing":        {"INSERT OR IGNORE INTO objects (resource, key, value) VALUES ('r', 'a', '2')", ""},
		"update":            {"UPDATE objects SET value = '2'; UPDATE objects SET value = '3'", "2U1 3U2"},
		"the same value":    {"UPDATE objects SET value = '1'", ""},
		"a wrong revision":  {"UPDATE objects SET revision = 9; UPDATE objects SET value = '2'", "2U1"},
		"wrong at the same": {"UPDATE objects SET value = '2', revision = 9; UPDATE objects SET value = '3', revision = 0", "2U1 3U2"},
		"wrong and deleted": {"UPDATE objects SET revision = 9; DELETE FROM objects", "2D1"},
		"delete":            {"DELETE FROM objects", "2D1"},
		"rename":            {"UPDATE objects SET key = 'b'", "2D1 3C0"},
		"rename over another": {"INSERT INTO objects (resource, key, value) VALUES ('r', 'b', '1'); UPDATE OR REPLACE objects SET key = 'b' WHERE key = 'a'",
			"2C0 3D1 4U2"},
		"replace, marked": {"UPDATE store SET writing_at = 1; REPLACE INTO objects (resource, key, value) VALUES ('r', 'a', '2'); UPDATE store SET writing_at = NULL",
			"2U1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubarium.db")
			s := mustOpen(t, sqlitestore.Options{Path: path, Sync: "off"})
			db := plain(t, path)
			mustExec(t, db, there)
			mustExec(t, db, c.do)
			logged, err := s.Changes(t.Context(), "", 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range logged {
				got = append(got, fmt.Sprintf("%d%c%d", c.Revision, c.Type, c.BeforeRevision))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("the log has %q, want %q", got, c.want)
			}
		})
	}
}
