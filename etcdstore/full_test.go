package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
)

// quota is small, and one object takes a good part of it.
const quota = "4194304"

var large = []byte(`"` + strings.Repeat("x", 200_000) + `"`)

// fill creates objects, many at once, until etcd has no space left, and returns those that were created. A create that is refused has not
// happened, also that which has passed the quota.
func fill(t *testing.T, s storage.Store) (made []storage.Record) {
	t.Helper()
	var mu sync.Mutex
	refused := map[storage.Key]bool{}
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for i := 0; ; i++ {
				k := key(fmt.Sprint(w, "-", i))
				r, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: k, Value: large})
				mu.Lock()
				if err == nil {
					made = append(made, r)
				} else {
					refused[k] = true
				}
				mu.Unlock()
				if err != nil && !errors.Is(err, storage.ErrFull) {
					t.Errorf("create %s: %v", k, err)
				}
				if err != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for k := range refused {
		if _, err := s.Get(t.Context(), k, 0); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("%s was refused, and got with %v", k, err)
		}
	}
	for _, r := range made {
		if got, err := s.Get(t.Context(), r.Key, 0); err != nil || got.Revision != r.Revision {
			t.Errorf("%s was created at %d, and is at %d, %v", r.Key, r.Revision, got.Revision, err)
		}
	}
	return made
}

// While etcd's quota is used up objects can be deleted, under the conditions that hold always. The server that deletes knows its deletions;
// the others take them for changes from outside.
func TestStore_DeleteFull(t *testing.T) {
	client := etcdtest.Start(t, 1, "--quota-backend-bytes", quota).Client(t)
	one, two := mustFollow(t, client), mustFollow(t, client)
	made := fill(t, one)
	r := made[0]
	for _, c := range []struct {
		w    storage.Write
		want error
	}{
		{storage.Write{Op: storage.OpUpdate, Key: r.Key, Expect: r.Revision, Value: []byte(`1`)}, storage.ErrFull},
		{storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision - 1}, storage.ErrConflict},
		{storage.Write{Op: storage.OpDelete, Key: key("none"), Expect: r.Revision}, storage.ErrNotFound},
	} {
		if _, err := one.Write(t.Context(), c.w); !errors.Is(err, c.want) {
			t.Errorf("%c %s: %v, want %v", c.w.Op, c.w.Key, err, c.want)
		}
	}
	gone := map[storage.Revision]storage.Record{}
	for _, r := range made {
		d := one.must(t, storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision})
		if string(d.Value) != string(r.Value) || d.Revision <= r.Revision {
			t.Errorf("%s: deleted at %d, %d bytes", r.Key, d.Revision, len(d.Value))
		}
		gone[d.Revision] = r
	}
	if !errors.Is(one.Healthy(), storage.ErrFull) {
		t.Errorf("a deletion made the store %v", one.Healthy())
	}
	for _, s := range []*followed{one, two} {
		s.changes(t)
		log, err := s.Log(t.Context(), storage.LogOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ofOne, err := s.Log(t.Context(), storage.LogOptions{Key: made[0].Key, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		deleted := 0
		for _, c := range append(s.told, append(plain(log), plain(ofOne)...)...) {
			if c.Type != storage.Deleted {
				continue
			}
			deleted++
			r := gone[c.Revision]
			if c.Key != r.Key || c.BeforeRevision != r.Revision || c.Outside != (s == two) || c.At.IsZero() {
				t.Errorf("told of %s at %d, over %d, outside=%t, %v", c.Key, c.Revision, c.BeforeRevision, c.Outside, c.At)
			}
		}
		for _, c := range s.told {
			if r := gone[c.Revision]; c.Type == storage.Deleted && string(c.Before) != string(r.Value) {
				t.Errorf("%s was %d bytes", c.Key, len(c.Before))
			}
		}
		if deleted != 2*len(made)+1 {
			t.Errorf("told of %d deletions of %d", deleted, len(made))
		}
	}
	makeSpace(t, client, one, two)
	n := create(t, one, "new", `1`)
	if err := one.Healthy(); err != nil {
		t.Error(err)
	}
	one.must(t, storage.Write{Op: storage.OpDelete, Key: n.Key, Expect: n.Revision})
	if log, err := two.Log(t.Context(), storage.LogOptions{Limit: 1}); err != nil || len(log) != 1 || log[0].Key != n.Key || log[0].Type != storage.Deleted {
		t.Errorf("the log has %+v, %v", log, err)
	}
}

func plain(log []storage.Logged) (changes []storage.Change) {
	for _, l := range log {
		changes = append(changes, l.Change)
	}
	return changes
}

// makeSpace has a store compact a cluster whose quota is used up, which all stores follow, and takes away etcd's alarm.
func makeSpace(t *testing.T, client *clientv3.Client, all ...*followed) {
	t.Helper()
	head, _ := all[0].Head()
	if err := all[0].Compact(t.Context(), head-1); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		etcdstore.Look(t.Context(), s.Store)
		if _, readable := s.Head(); readable != head {
			t.Errorf("the boundary is %d, want %d", readable, head)
		}
		if _, err := s.Changes(t.Context(), "", head-2, 0); !errors.Is(err, storage.ErrExpired) {
			t.Errorf("what is older: %v", err)
		}
	}
	if err := all[0].Compact(t.Context(), head-1); err != nil {
		t.Errorf("once more: %v", err)
	}
	for _, endpoint := range client.Endpoints() {
		if _, err := client.Defragment(t.Context(), endpoint); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
}

// Two servers that delete the same objects while etcd is full delete each once.
func TestStore_DeleteFullTogether(t *testing.T) {
	client := etcdtest.Start(t, 1, "--quota-backend-bytes", quota).Client(t)
	one, two := mustFollow(t, client), mustFollow(t, client)
	made := fill(t, one)
	var mu sync.Mutex
	deleted := map[storage.Key]*followed{}
	var all sync.WaitGroup
	for _, s := range []*followed{one, two} {
		all.Go(func() {
			for _, r := range made {
				switch _, err := s.Write(context.Background(), storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision}); {
				case err == nil:
					mu.Lock()
					if deleted[r.Key] != nil {
						t.Errorf("%s was deleted twice", r.Key)
					}
					deleted[r.Key] = s
					mu.Unlock()
				case !errors.Is(err, storage.ErrNotFound):
					t.Errorf("%s: %v", r.Key, err)
				}
			}
		})
	}
	all.Wait()
	for _, s := range []*followed{one, two} {
		log, err := s.Log(t.Context(), storage.LogOptions{Limit: len(made)})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range log {
			if l.Type != storage.Deleted || l.Outside != (deleted[l.Key] != s) {
				t.Errorf("%c %s, outside=%t", l.Type, l.Key, l.Outside)
			}
		}
	}
}
