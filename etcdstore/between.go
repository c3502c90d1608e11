package etcdstore

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// errEnough ends what is told before its end.
var errEnough = errors.New("enough")

// between tells of the changes of everything, or of one object, with revisions above after, up to and with one that there is already, until fn
// returns an error. errEnough is none. A watch of its own tells them. Of the deletions of one object it does not tell when they were, and
// by whom: that stands elsewhere.
func (s *Store) between(ctx context.Context, what storage.Key, after, upto storage.Revision, fn func(storage.Change) error) error {
	if _, lowest, told := s.boundary(); after < told {
		return &storage.RevisionError{Err: storage.ErrExpired, Asked: after, Current: lowest}
	}
	if after >= upto {
		return nil
	}
	w := clientv3.NewWatcher(s.client.Client)
	defer w.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go hurry(ctx, w)
	for t, err := range s.watched(ctx, w, what, after) {
		if err != nil {
			return s.explain(ctx, after, err)
		}
		changes, err := s.changesOf(t.events)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if c.Revision > upto {
				return nil
			}
			switch err := fn(c.Change); {
			case errors.Is(err, errEnough):
				return nil
			case err != nil:
				return err
			}
		}
		if t.head >= upto {
			return nil
		}
	}
	return nil
}
