package sqlitestore_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// history is what ReadHistory tells.
type history struct {
	span           storage.Span
	state, changes []storage.Change
}

func mustReadHistory(t *testing.T, s *sqlitestore.Store, at storage.Revision) (h history) {
	t.Helper()
	err := s.ReadHistory(t.Context(), at, func(span storage.Span) error { h.span = span; return nil },
		func(c storage.Change) error { h.state = append(h.state, c); return nil },
		func(c storage.Change) error { h.changes = append(h.changes, c); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// writeSome creates, updates, deletes and creates again.
func writeSome(t *testing.T, s *sqlitestore.Store) {
	t.Helper()
	key := func(name string) storage.Key { return storage.NewKey("configmaps", "default", name) }
	for _, name := range []string{"a", "b", "c"} {
		mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: key(name), Value: fmt.Appendf(nil, `{"n":%q}`, name)})
	}
	a, err := s.Get(t.Context(), key("a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, storage.Write{Op: storage.OpUpdate, Key: key("a"), Value: []byte(`{"n":"a2"}`), Expect: a.Revision})
	b, err := s.Get(t.Context(), key("b"), 0)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, storage.Write{Op: storage.OpDelete, Key: key("b"), Expect: b.Revision})
	mustWrite(t, s, storage.Write{Op: storage.OpCreate, Key: key("b"), Value: []byte(`{"n":"b2"}`)})
}

// until waits until the head has come to a revision.
func until(t *testing.T, s *sqlitestore.Store, head storage.Revision) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if newest, _ := s.Head(); newest >= head {
			return
		}
	}
	t.Fatalf("waited in vain for revision %d", head)
}

// checkSame compares what two stores answer at each revision from one on.
func checkSame(t *testing.T, got, want *sqlitestore.Store, from storage.Revision) {
	t.Helper()
	head, _ := want.Head()
	if have, _ := got.Head(); have != head {
		t.Fatalf("the head is %d, want %d", have, head)
	}
	for at := from; at <= head; at++ {
		o := storage.ListOptions{Resource: "configmaps", At: at}
		w, err := want.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		g, err := got.List(t.Context(), o)
		if err != nil {
			t.Fatalf("at %d: %v", at, err)
		}
		if !slices.EqualFunc(g.Records, w.Records, func(a, b storage.Record) bool {
			return a.Key == b.Key && a.Revision == b.Revision && bytes.Equal(a.Value, b.Value)
		}) {
			t.Errorf("at %d: %v, want %v", at, g.Records, w.Records)
		}
	}
	g, w := mustReadHistory(t, got, from), mustReadHistory(t, want, from)
	if !slices.EqualFunc(g.changes, w.changes, func(a, b storage.Change) bool {
		return a.Revision == b.Revision && a.Type == b.Type && a.Key == b.Key && a.BeforeRevision == b.BeforeRevision && a.At.Equal(b.At) && a.Outside == b.Outside && bytes.Equal(a.Value, b.Value)
	}) {
		t.Errorf("the changes are not the same:\n%v\n%v", g.changes, w.changes)
	}
}

// A history that is told to a new store answers as the first one does, at each revision; and what is told later too.
func TestTold(t *testing.T) {
	first := mustOpen(t, sqlitestore.Options{Sync: "off"})
	writeSome(t, first)
	head, _ := first.Head()
	h := mustReadHistory(t, first, head-2)
	if h.span != (storage.Span{From: head - 2, Newest: head}) || len(h.state) != 3 || len(h.changes) != 2 {
		t.Fatalf("%+v", h)
	}
	second := mustOpen(t, sqlitestore.Options{Sync: "off", Begin: &sqlitestore.Told{From: h.span.From, Changes: slices.Values(append(h.state, h.changes...))}})
	checkSame(t, second, first, h.span.From)
	if _, err := second.List(t.Context(), storage.ListOptions{Resource: "configmaps", At: h.span.From - 1}); !errors.Is(err, storage.ErrExpired) {
		t.Errorf("what is older than the history: %v", err)
	}

	var mu sync.Mutex
	var followed []storage.Revision
	if _, err := second.Follow(func(b storage.Batch) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range b.Changes {
			followed = append(followed, c.Revision)
		}
	}); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, first, storage.Write{Op: storage.OpCreate, Key: storage.NewKey("configmaps", "default", "d"), Value: []byte(`{"n":"d"}`)})
	mustWrite(t, first, storage.Write{Op: storage.OpDelete, Key: storage.NewKey("configmaps", "default", "d"), Expect: head + 1})
	if _, err := plain(t, first.Path).Exec(`UPDATE objects SET value = '{"n":"outside"}' WHERE key = 'default/c'`); err != nil {
		t.Fatal(err)
	}
	until(t, first, head+3)
	later := mustReadHistory(t, first, head)
	if err := second.Tell(t.Context(), later.changes); err != nil {
		t.Fatal(err)
	}
	until(t, second, head+3)
	checkSame(t, second, first, h.span.From)
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(followed, []storage.Revision{head + 1, head + 2, head + 3}) {
		t.Errorf("the follower had %v", followed)
	}
}

// A history without a state begins before its first change.
func TestTold_NoState(t *testing.T) {
	first := mustOpen(t, sqlitestore.Options{Sync: "off"})
	writeSome(t, first)
	h := mustReadHistory(t, first, -1)
	if len(h.state) != 0 || len(h.changes) != 6 {
		t.Fatalf("%+v", h)
	}
	second := mustOpen(t, sqlitestore.Options{Sync: "off", Begin: &sqlitestore.Told{Changes: slices.Values(h.changes)}})
	checkSame(t, second, first, 1)
	if newest := mustReadHistory(t, first, 0); len(newest.state) != 3 || len(newest.changes) != 0 {
		t.Errorf("the newest: %+v", newest)
	}
}
