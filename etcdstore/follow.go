package etcdstore

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// Follow implements storage.Store.
func (s *Store) Follow(fn func(storage.Batch)) (storage.Revision, error) {
	if _, err := s.followed(s.running); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.follower != nil {
		panic("etcdstore: a second follower")
	}
	s.follower = fn
	return s.head, nil
}

// follow hands the follower what happens below the prefix, until ctx ends.
func (s *Store) follow(ctx context.Context, after storage.Revision) {
	defer close(s.stopped)
	for t, err := range s.watched(ctx, s.watcher, everything, after) {
		if err == nil {
			err = s.take(t)
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, rpctypes.ErrCompacted):
			err = &storage.Failure{Err: storage.ErrMissed, Text: "etcd was compacted before this server had read what happened up to there; start it again"}
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// take hands what a watch has brought to the follower.
func (s *Store) take(t told) error {
	changes, err := s.changesOf(t.events)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ended(); err != nil {
		return err
	}
	for i := range changes {
		if own := s.own[changes[i].number]; own != nil {
			delete(s.own, changes[i].number)
			changes[i].Summary, own.change = own.summary, &changes[i].Change
		}
	}
	for _, e := range t.events {
		if string(e.Kv.Key) == s.keys.compacted() {
			if lowest, err := parseRevision(e.Kv.Value); err == nil {
				s.raise(lowest, 0)
			}
		}
	}
	if n := len(changes); n > 0 {
		s.past.changed = changes[n-1].Revision
	}
	if s.follower != nil {
		s.follower(storage.Batch{Changes: plain(changes), Head: t.head})
	}
	s.head = t.head
	s.past.moved(s.now(), t.head)
	close(s.moved)
	s.moved = make(chan struct{})
	return nil
}

// A change is one of the store, with the number of the write of this run that made it; 0 for another's.
type change struct {
	storage.Change
	number uint64
}

func plain(cs []change) []storage.Change {
	out := make([]storage.Change, len(cs))
	for i, c := range cs {
		out[i] = c.Change
	}
	return out
}

// outside reports whether a change was made by another program: its envelope is another run's, or none, or does not
// say what the change met.
func (s *Store) outside(sealed envelope, met storage.Revision) bool {
	return sealed.run != s.run || sealed.before != met
}

// changesOf are the changes of objects among events, which are in order of revisions.
func (s *Store) changesOf(events []*clientv3.Event) ([]change, error) {
	deletions := map[int64]envelope{}
	for _, e := range events {
		if string(e.Kv.Key) == s.keys.deletion() && e.Type == clientv3.EventTypePut {
			if sealed, _, ok := unseal(e.Kv.Value); ok {
				deletions[e.Kv.ModRevision] = sealed
			}
		}
	}
	var out []change
	for _, e := range events {
		k, ok := s.keys.read(e.Kv.Key)
		if !ok {
			continue
		}
		if !e.IsCreate() && e.PrevKv == nil {
			return nil, fmt.Errorf("follow: the change of %s at %d does not say what it met", k, e.Kv.ModRevision)
		}
		c := change{Change: storage.Change{Revision: storage.Revision(e.Kv.ModRevision), Type: storage.Created, Key: k}}
		var sealed envelope
		if e.PrevKv != nil {
			c.Type, c.BeforeRevision = storage.Updated, storage.Revision(e.PrevKv.ModRevision)
			_, c.Before, _ = unseal(e.PrevKv.Value)
		}
		if e.Type == clientv3.EventTypeDelete {
			c.Type = storage.Deleted
			if sealed, ok = deletions[e.Kv.ModRevision]; !ok {
				sealed = s.bareEnvelope(version{k, c.BeforeRevision}, c.Revision)
			}
		} else {
			sealed, c.Value, _ = unseal(e.Kv.Value)
		}
		c.At, c.Outside = sealed.at, s.outside(sealed, c.BeforeRevision)
		if c.At.IsZero() {
			c.At = s.timeOf(c.Revision)
		}
		if !c.Outside {
			c.number = sealed.number
		}
		out = append(out, c)
	}
	return out, nil
}

// bareEnvelope is the envelope of a deletion that has none in etcd, if it is this run's.
func (s *Store) bareEnvelope(of version, at storage.Revision) envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bare[of]
	if b == nil {
		return envelope{}
	}
	b.at = at
	return b.envelope
}
