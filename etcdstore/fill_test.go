package etcdstore_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
)

// The objects of a filled store have revisions of their own, above those that were asked for; what is older is Expired, and was compacted on
// the way. Their times are the old ones.
func TestFilling(t *testing.T) {
	const above, objects = 60_000, 500
	client := etcdtest.Start(t, 1).Client(t)
	var told atomic.Int64
	f := &etcdstore.Filling{Client: client, Prefix: "/kubarium", Above: above, Progress: func(newest storage.Revision, _ int) { told.Store(int64(newest)) }}
	done, err := f.Run(t.Context(), func(put func(storage.Change) error) error {
		if _, err := client.Get(t.Context(), "none", clientv3.WithRev(1000)); !errors.Is(err, rpctypes.ErrCompacted) {
			t.Errorf("what was spent is there still: %v", err)
		}
		for i := range objects {
			if err := put(storage.Change{Key: key(fmt.Sprint(i)), Revision: 1, Value: fmt.Append(nil, i), At: noon}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || done.Objects != objects || told.Load() < above {
		t.Fatalf("%+v, %v, told %d", done, err, told.Load())
	}
	s := mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium"})
	if newest, readable := s.Head(); readable != done.Revision || newest < readable {
		t.Errorf("the head is %d, the boundary %d, want %d", newest, readable, done.Revision)
	}
	taken := map[storage.Revision]bool{}
	err = s.ReadHistory(t.Context(), 0, func(storage.Span) error { return nil }, func(c storage.Change) error {
		if c.Revision <= above || taken[c.Revision] || !c.At.Equal(noon) || c.Type != storage.Created || fmt.Sprint("default/", string(c.Value)) != c.Key.Name {
			t.Errorf("%+v", c)
		}
		taken[c.Revision] = true
		return nil
	}, nil)
	if err != nil || len(taken) != objects {
		t.Errorf("%d objects, %v", len(taken), err)
	}
	for _, old := range []storage.Revision{1, 1000, above, done.Revision - 1} {
		if _, err := s.Changes(t.Context(), "", old-1, 0); !errors.Is(err, storage.ErrExpired) {
			t.Errorf("changes after %d: %v", old-1, err)
		}
	}
}

// A store that cannot be filled is left as it was: with others' keys, without ours.
func TestFilling_undone(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	put(t, client, "/kubarium-2/x", "theirs")
	enough := errors.New("enough")
	f := &etcdstore.Filling{Client: client, Prefix: "/kubarium"}
	_, err := f.Run(t.Context(), func(put func(storage.Change) error) error {
		for i := range 2000 {
			if err := put(storage.Change{Key: key(fmt.Sprint(i)), Value: []byte(`{}`), At: time.Now()}); err != nil {
				return err
			}
		}
		return enough
	})
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	got, err := client.Get(t.Context(), "/", clientv3.WithFromKey(), clientv3.WithKeysOnly())
	if err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Key) != "/kubarium-2/x" {
		t.Errorf("left are %v, %v", got.Kvs, err)
	}
}

// A store that is being filled, or has objects, is not filled once more, and not opened.
func TestFilling_refused(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	fill := func() error {
		_, err := (&etcdstore.Filling{Client: client, Prefix: "/kubarium"}).Run(t.Context(), func(put func(storage.Change) error) error {
			return put(storage.Change{Key: key("a"), Value: []byte(`{}`), At: noon})
		})
		return err
	}
	_, err := (&etcdstore.Filling{Client: client, Prefix: "/kubarium"}).Run(t.Context(), func(func(storage.Change) error) error {
		if err := fill(); !errors.Is(err, etcdstore.ErrFilling) {
			t.Errorf("a second one: %v", err)
		}
		if _, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: client, Prefix: "/kubarium"}); !errors.Is(err, etcdstore.ErrFilling) {
			t.Errorf("opened meanwhile: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(); err != nil {
		t.Errorf("without objects: %v", err)
	}
	if err := fill(); !errors.Is(err, etcdstore.ErrNotEmpty) {
		t.Errorf("with an object: %v", err)
	}
}
