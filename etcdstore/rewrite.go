package etcdstore

import (
	"bytes"
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// Rewrite implements storage.Engine. It puts the value without an envelope, as etcdctl would, and so it is no
// server's write.
func (s *Store) Rewrite(ctx context.Context, k storage.Key, value []byte) (storage.Revision, error) {
	bare := string(value)
	if _, _, ok := unseal(value); ok { // it would be taken for the envelope
		bare = envelope{at: s.now(), run: "outside"}.seal(value)
	}
	key := s.keys.object(k)
	for {
		got, err := s.get(ctx, key)
		if err != nil {
			return 0, s.failed(err)
		}
		if len(got.Kvs) == 0 {
			return 0, &storage.KeyError{Err: storage.ErrNotFound, Key: k}
		}
		r := record(k, got.Kvs[0])
		if bytes.Equal(r.Value, value) {
			return r.Revision, nil
		}
		same := clientv3.Compare(clientv3.ModRevision(key), "=", int64(r.Revision))
		done, err := s.transact(ctx, []clientv3.Cmp{same}, []clientv3.Op{clientv3.OpPut(key, bare)}, nil)
		if err != nil {
			return 0, s.failed(err)
		}
		if done.Succeeded {
			return storage.Revision(done.Header.Revision), nil
		}
	}
}
