package etcdstore

import (
	"context"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

const (
	keysAtOnce   = 5000 // in one answer
	valuesAtOnce = 64   // in one answer; etcd takes 128 operations in a transaction unless configured otherwise
)

// ReadHistory implements storage.Engine. A compaction in between ends it with Expired.
func (s *Store) ReadHistory(ctx context.Context, at storage.Revision, begin func(storage.Span) error, state, change func(storage.Change) error) error {
	newest, err := s.current(ctx)
	if err != nil {
		return err
	}
	_, lowest, _ := s.boundary()
	switch {
	case at == 0:
		at = newest
	case at == -1:
		at = max(lowest, 1)
	case at > newest:
		return &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: newest}
	case at < lowest:
		return &storage.RevisionError{Err: storage.ErrExpired, Asked: at, Current: lowest}
	}
	if err := begin(storage.Span{From: at, Newest: newest}); err != nil {
		return err
	}
	if err := s.state(ctx, at, state); err != nil || change == nil {
		return err
	}
	return s.between(ctx, everything, at, newest, func(c storage.Change) error {
		c.Before = nil
		return change(c)
	})
}

// state reports the changes that made all objects what they were at a revision, in the order of their revisions: the
// keys are read first, then the values by them, so that not all of these are in memory.
func (s *Store) state(ctx context.Context, at storage.Revision, fn func(storage.Change) error) error {
	keys, err := s.allKeys(ctx, at)
	if err != nil {
		return err
	}
	slices.SortFunc(keys, func(a, b *mvccpb.KeyValue) int { return int(a.ModRevision - b.ModRevision) })
	for some := range slices.Chunk(keys, valuesAtOnce) {
		gets := make([]clientv3.Op, len(some))
		for i, kv := range some {
			gets[i] = clientv3.OpGet(string(kv.Key), clientv3.WithRev(int64(at)))
		}
		got, err := s.client.Txn(ctx).Then(gets...).Commit()
		if err != nil {
			return s.explain(ctx, at, err)
		}
		for _, r := range got.Responses {
			for _, kv := range r.GetResponseRange().Kvs {
				if err := fn(s.stood(kv)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// allKeys are those of all objects at a revision, without values.
func (s *Store) allKeys(ctx context.Context, at storage.Revision) ([]*mvccpb.KeyValue, error) {
	var keys []*mvccpb.KeyValue
	err := s.pages(ctx, at, func(kv *mvccpb.KeyValue) error {
		keys = append(keys, kv)
		return nil
	}, clientv3.WithKeysOnly(), clientv3.WithLimit(keysAtOnce))
	return keys, err
}

// pages reads all objects at a revision, in pages.
func (s *Store) pages(ctx context.Context, at storage.Revision, fn func(*mvccpb.KeyValue) error, how ...clientv3.OpOption) error {
	how = append(how, clientv3.WithRange(clientv3.GetPrefixRangeEnd(s.keys.objects())))
	for first, more := s.keys.objects(), true; more; {
		got, err := s.read(ctx, first, at, how...)
		if err != nil {
			return err
		}
		for _, kv := range got.Kvs {
			first = string(kv.Key) + "\x00"
			if _, ok := s.keys.read(kv.Key); !ok {
				continue
			}
			if err := fn(kv); err != nil {
				return err
			}
		}
		more = got.More
	}
	return nil
}

// stood is the change that made an object what it is, as far as its version says.
func (s *Store) stood(kv *mvccpb.KeyValue) storage.Change {
	k, _ := s.keys.read(kv.Key)
	c := storage.Change{Revision: storage.Revision(kv.ModRevision), Type: storage.Created, Key: k}
	sealed, value, _ := unseal(kv.Value)
	c.Value, c.At, c.Outside = value, sealed.at, sealed.run != s.run
	switch met := int64(sealed.before); {
	case kv.CreateRevision == kv.ModRevision:
		c.Outside = c.Outside || met != 0
	case met >= kv.CreateRevision && met < kv.ModRevision:
		c.Type, c.BeforeRevision = storage.Updated, sealed.before
	default:
		c.Type, c.Outside = storage.Updated, true
	}
	if c.At.IsZero() {
		c.At = s.timeOf(c.Revision)
	}
	return c
}
