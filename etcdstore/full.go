package etcdstore

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// While its quota is used up, etcd takes no transaction that puts a key. It takes those that delete, and compactions,
// so that an object can be deleted without the envelope of its deletion, and old revisions go without the key of
// their boundary.

// writeFull does what can be done of a write that etcd had no space for. Etcd makes the change that passes the quota,
// and says that it had no space for that one too: only the follower knows.
func (s *Store) writeFull(ctx context.Context, w storage.Write, e envelope, own *ownWrite, noSpace error) (storage.Record, error) {
	defer s.forget(e.number)
	noSpace = s.failed(noSpace)
	_, err := s.followed(ctx)
	s.mu.Lock()
	change := own.change
	s.mu.Unlock()
	switch {
	case change != nil && w.Op == storage.OpDelete:
		return storage.Record{Key: w.Key, Revision: change.Revision, Value: change.Before}, nil
	case change != nil:
		return storage.Record{Key: w.Key, Revision: change.Revision, Value: w.Value}, nil
	case err != nil:
		return storage.Record{}, s.failed(err)
	case w.Op == storage.OpDelete:
		return s.deleteBare(ctx, w, e)
	}
	return storage.Record{}, noSpace
}

// deleteBare deletes an object in a transaction that puts nothing.
func (s *Store) deleteBare(ctx context.Context, w storage.Write, e envelope) (storage.Record, error) {
	of := version{w.Key, w.Expect}
	s.mu.Lock()
	s.bare[of] = &bareDeletion{envelope: e}
	s.mu.Unlock()
	alone := clientv3.OpDelete(s.keys.object(w.Key), clientv3.WithPrevKV())
	done, err := s.transact(ctx, s.conditions(w), []clientv3.Op{alone}, s.reasons(w))
	if err != nil || !done.Succeeded {
		if err == nil { // another deletion may have been quicker
			s.mu.Lock()
			delete(s.bare, of)
			s.mu.Unlock()
		}
		return storage.Record{}, s.refused(w, done, err)
	}
	s.heard()
	return s.written(ctx, w, done)
}

// compactFull compacts etcd where the boundary that all servers agree on cannot be written: each follows what etcd
// was compacted at.
func (s *Store) compactFull(ctx context.Context, lowest storage.Revision, noSpace error) error {
	_ = s.failed(noSpace)
	if err := s.await(ctx, lowest, true); err != nil {
		return err
	}
	if err := s.compactEtcd(ctx, lowest); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raise(0, lowest)
	return nil
}
