package etcdstore

import (
	"context"
	"errors"
	"strconv"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// Compact implements storage.Store. The boundary is one that all servers of the store agree on: a key, which only
// grows. etcd itself is compacted one revision before it, so that what the first readable change met can be read too.
func (s *Store) Compact(ctx context.Context, at storage.Revision) error {
	for {
		got, err := s.get(ctx, s.keys.compacted())
		if err != nil {
			return s.failed(err)
		}
		newest, held, version := storage.Revision(got.Header.Revision), storage.Revision(0), int64(0)
		for _, kv := range got.Kvs {
			if held, err = parseRevision(kv.Value); err != nil {
				return err
			}
			version = kv.ModRevision
		}
		if at > newest {
			return &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: newest}
		}
		lowest := min(at+1, newest)
		if at <= 0 || lowest <= held {
			return s.await(ctx, storage.Revision(version), false)
		}
		if err := s.alone(ctx); err != nil {
			return err
		}
		done, err := s.transact(ctx, []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(s.keys.compacted()), "=", version)},
			[]clientv3.Op{clientv3.OpPut(s.keys.compacted(), strconv.FormatInt(int64(lowest), 10))}, nil)
		switch {
		case errors.Is(err, rpctypes.ErrNoSpace):
			return s.compactFull(ctx, lowest, err)
		case err != nil:
			return s.failed(err)
		case !done.Succeeded:
			continue
		}
		if err := s.await(ctx, storage.Revision(done.Header.Revision), false); err != nil {
			return err
		}
		return s.compactEtcd(ctx, lowest-1)
	}
}

// compactEtcd has etcd forget what is below a revision, unless it has.
func (s *Store) compactEtcd(ctx context.Context, at storage.Revision) error {
	if _, err := s.client.Compact(ctx, int64(at)); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return s.failed(err)
	}
	return nil
}
