package etcdstore

import (
	"context"
	"errors"
	"maps"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// readable is the oldest revision at which objects can be read. mu is held.
func (s *Store) readable() storage.Revision { return max(s.lowest, s.gone) }

// boundary is the newest revision that the follower has had, the oldest one that can be read, and the one after which
// each change can be reported with what it met.
func (s *Store) boundary() (head, lowest, told storage.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head, s.readable(), max(s.lowest-1, s.gone, 0)
}

// raise notes that the servers have agreed on a boundary, or that etcd was compacted. mu is held.
func (s *Store) raise(lowest, gone storage.Revision) {
	before := s.readable()
	s.lowest, s.gone = max(s.lowest, lowest), max(s.gone, gone)
	now := s.readable()
	if now == before {
		return
	}
	s.past.raised = s.now()
	s.forgetBare(max(s.lowest-1, s.gone))
	if s.options.Compacted != nil {
		s.options.Compacted(now)
	}
}

// lookCompacted looks whether others have compacted etcd beyond the boundary, which follows then.
func (s *Store) lookCompacted(ctx context.Context) error {
	_, lowest, _ := s.boundary()
	_, err := s.client.Get(ctx, s.keys.compacted(), clientv3.WithRev(max(1, int64(lowest))), clientv3.WithCountOnly(), clientv3.WithSerializable())
	if errors.Is(err, rpctypes.ErrCompacted) {
		return s.findCompacted(ctx, lowest)
	}
	if errors.Is(err, rpctypes.ErrFutureRev) { // this member lags
		return nil
	}
	return err
}

// findCompacted finds the revision that etcd was compacted at: a watch from a revision below it learns it.
func (s *Store) findCompacted(ctx context.Context, below storage.Revision) error {
	w := clientv3.NewWatcher(s.client.Client)
	defer w.Close()
	for r := range w.Watch(ledBy(ctx), s.keys.compacted(), clientv3.WithRev(max(1, int64(below)))) {
		if r.CompactRevision > 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.raise(0, storage.Revision(r.CompactRevision))
			return nil
		}
		if err := r.Err(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// forgetBare forgets deletions that can no longer be read. mu is held.
func (s *Store) forgetBare(upto storage.Revision) {
	maps.DeleteFunc(s.bare, func(_ version, b *bareDeletion) bool { return b.at != 0 && b.at <= upto })
}
