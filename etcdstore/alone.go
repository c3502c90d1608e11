package etcdstore

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// alone returns ErrShared where the cluster has keys outside the prefix, unless Options.Shared allows compaction all
// the same.
func (s *Store) alone(ctx context.Context) error {
	if s.options.Shared {
		return nil
	}
	before := clientv3.OpGet("\x00", clientv3.WithRange(s.keys.prefix), clientv3.WithLimit(1), clientv3.WithKeysOnly())
	behind := clientv3.OpGet(clientv3.GetPrefixRangeEnd(s.keys.prefix), clientv3.WithFromKey(), clientv3.WithLimit(1), clientv3.WithKeysOnly())
	got, err := s.client.Txn(ctx).Then(before, behind).Commit()
	if err != nil {
		return s.failed(err)
	}
	for _, r := range got.Responses {
		for _, kv := range r.GetResponseRange().Kvs {
			return fmt.Errorf("not compacted: %w: %q is outside %s", ErrShared, kv.Key, s.keys.prefix)
		}
	}
	return nil
}
