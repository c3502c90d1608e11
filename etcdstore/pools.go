package etcdstore

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// poolMemory is for how long it is known that a run has written out of a pool: longer than any request takes between
// choosing and writing.
const poolMemory = 5 * time.Minute

// forgetPools removes what runs have written out of pools so long ago that no write can still be judged by it.
func (s *Store) forgetPools(ctx context.Context) error {
	s.mu.Lock()
	i := s.past.before(s.now().Add(-poolMemory))
	var old storage.Revision
	if i >= 0 {
		old = s.past.samples[i].head
	}
	s.mu.Unlock()
	if old == 0 { // this run does not know that far back
		return nil
	}
	got, err := s.client.Get(ctx, s.keys.pools(), clientv3.WithPrefix(), clientv3.WithKeysOnly(), clientv3.WithMaxModRev(int64(old)))
	if err != nil {
		return s.failed(err)
	}
	for _, kv := range got.Kvs {
		key := string(kv.Key)
		_, err := s.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", kv.ModRevision)).Then(clientv3.OpDelete(key)).Commit()
		if err != nil {
			return s.failed(err)
		}
	}
	return nil
}
