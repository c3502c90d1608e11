package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
