package etcdstore_test

import (
	"errors"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
)

// A write out of a pool is refused where another server has written out of it since the caller has looked, and not for what the server itself
// has written; and what nobody can be judged by any more is forgotten.
func TestStore_Pool(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	var time clock
	open := func() *etcdstore.Store {
		return mustOpen(t, etcdstore.Options{Client: client, Prefix: "/kubarium", Now: time.now, History: 60e9})
	}
	a, b := open(), open()
	looked, err := a.Current(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write := func(s *etcdstore.Store, name string) error {
		_, err := s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: storage.NewKey("services", "default", name), Value: []byte(`{}`), Pool: "services", PoolAt: looked})
		return err
	}
	for _, name := range []string{"a", "b"} {
		if err := write(a, name); err != nil {
			t.Errorf("%s, of the same server: %v", name, err)
		}
	}
	err = write(b, "c")
	if about := (*storage.KeyError)(nil); !errors.Is(err, storage.ErrConflict) || !errors.As(err, &about) || about.Key != (storage.Key{Resource: "services"}) {
		t.Errorf("of another server: %v", err)
	}
	if err := write(b, "a"); !errors.Is(err, storage.ErrExists) {
		t.Errorf("of another server, and a name that is taken: %v", err)
	}
	if looked, err = b.Current(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := write(b, "c"); err != nil {
		t.Errorf("looked again: %v", err)
	}
	time.advance(1e9)
	update(t, a, create(t, a, "m", `1`), `2`)
	for range 2 {
		time.advance(3600e9)
		if _, err := a.Current(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := etcdstore.ForgetOld(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		update(t, a, create(t, a, "n"+time.now().Format("150405"), `1`), `2`)
	}
	got, err := client.Get(t.Context(), "/kubarium/pools/", clientv3.WithPrefix())
	if err != nil || len(got.Kvs) != 0 {
		t.Errorf("%d runs are remembered, %v", len(got.Kvs), err)
	}
}
