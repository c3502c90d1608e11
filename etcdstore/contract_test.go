package etcdstore_test

import (
	"errors"
	"fmt"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/server/storage"
	"kubarium/server/storage/storagetest"
)

// A store keeps the contract, beside other stores on the same cluster. What one of them compacts is compacted for all: then the next begins on a
// cluster of its own, for it says of a new store that nothing is. The contract's largest value and its envelope are a few bytes more than etcd
// takes in one request unless told.
func TestStore(t *testing.T) {
	open := opener(t)
	storagetest.Run(t, func(sub testing.TB) storage.Store { return open(sub) })
}

// A store is all that a server runs on.
func TestStore_Engine(t *testing.T) {
	open := opener(t)
	storagetest.RunEngine(t, func(sub testing.TB) storage.Engine { return open(sub) })
}

// opener opens new stores on one cluster, or on the next where it was compacted.
func opener(t *testing.T) func(testing.TB) *etcdstore.Store {
	var client *clientv3.Client
	n := 0
	return func(sub testing.TB) *etcdstore.Store {
		if client == nil || compacted(sub, client) {
			client = etcdtest.Start(t, 1, "--max-request-bytes", "2097152").Client(t)
		}
		n++
		return mustOpen(sub, etcdstore.Options{Client: client, Prefix: fmt.Sprintf("/kubarium-%d", n), Shared: true})
	}
}

// mustOpen opens a store that is closed at the end of the test.
func mustOpen(t testing.TB, o etcdstore.Options) *etcdstore.Store {
	t.Helper()
	s, err := etcdstore.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // which may be the second time
	return s
}

// compacted says whether anything was compacted in a cluster.
func compacted(t testing.TB, client *clientv3.Client) bool {
	_, err := client.Get(t.Context(), "none", clientv3.WithRev(1))
	if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		t.Fatal(err)
	}
	return err != nil
}
