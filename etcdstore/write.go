package etcdstore

import (
	"bytes"
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// Write implements storage.Store. The conditions are compared in the transaction that changes the object; where they
// do not hold, the same transaction reads why.
func (s *Store) Write(ctx context.Context, w storage.Write) (storage.Record, error) {
	if err := s.enter(); err != nil {
		return storage.Record{}, err
	}
	defer s.underway.Done()
	e := envelope{at: s.now(), run: s.run, number: s.writes.Add(1), before: w.Expect}
	change, err := s.changing(ctx, w, e)
	if err != nil {
		return storage.Record{}, err
	}
	own := s.begin(e.number, w.Summary)
	done, err := s.transact(ctx, s.conditions(w), change, s.reasons(w))
	if errors.Is(err, rpctypes.ErrNoSpace) {
		return s.writeFull(ctx, w, e, own, err)
	}
	if err != nil || !done.Succeeded {
		s.forget(e.number)
		return storage.Record{}, s.refused(w, done, err)
	}
	s.wrote()
	if change[0].IsGet() {
		s.forget(e.number)
		return storage.Record{Key: w.Key, Revision: w.Expect, Value: w.Value}, nil
	}
	return s.written(ctx, w, done)
}

// begin notes a write that is going to be sent.
func (s *Store) begin(number uint64, summary *storage.Summary) *ownWrite {
	own := &ownWrite{summary: summary}
	s.mu.Lock()
	s.own[number] = own
	s.mu.Unlock()
	return own
}

func (s *Store) forget(number uint64) {
	s.mu.Lock()
	delete(s.own, number)
	s.mu.Unlock()
}

// written is the answer of a write that succeeded, once the follower has had it.
func (s *Store) written(ctx context.Context, w storage.Write, done *clientv3.TxnResponse) (storage.Record, error) {
	r := storage.Record{Key: w.Key, Revision: storage.Revision(done.Header.Revision), Value: w.Value}
	if w.Op == storage.OpDelete {
		_, r.Value, _ = unseal(done.Responses[0].GetResponseDeleteRange().PrevKvs[0].Value)
	}
	return r, s.await(ctx, r.Revision, false)
}

// refused is the error of a write that failed, or whose conditions did not hold.
func (s *Store) refused(w storage.Write, done *clientv3.TxnResponse, err error) error {
	switch {
	case err == nil:
		return s.refusal(w, done)
	case tooLarge(err):
		return &storage.KeyError{Err: storage.ErrLarge, Key: w.Key}
	}
	return s.failed(err)
}

// changing is what a write does, if its conditions hold. An update to the value that the object has only reads it.
func (s *Store) changing(ctx context.Context, w storage.Write, e envelope) ([]clientv3.Op, error) {
	key := s.keys.object(w.Key)
	if w.Op == storage.OpDelete {
		return []clientv3.Op{clientv3.OpDelete(key, clientv3.WithPrevKV()), clientv3.OpPut(s.keys.deletion(), e.seal(nil))}, nil
	}
	before := w.Before
	if w.Op == storage.OpUpdate && before == nil {
		got, err := s.getSoon(ctx, key)
		if err != nil {
			return nil, s.failed(err)
		}
		if len(got.Kvs) > 0 && got.Kvs[0].ModRevision == int64(w.Expect) {
			_, before, _ = unseal(got.Kvs[0].Value)
		}
	}
	if w.Op == storage.OpUpdate && before != nil && bytes.Equal(before, w.Value) {
		return []clientv3.Op{clientv3.OpGet(key, clientv3.WithCountOnly())}, nil
	}
	puts := []clientv3.Op{clientv3.OpPut(key, e.seal(w.Value))}
	if w.Pool != "" {
		puts = append(puts, clientv3.OpPut(s.keys.pool(w.Pool)+s.run, ""))
	}
	return puts, nil
}

// conditions are those of a write, as etcd compares them: an object that is not there is at revision 0.
func (s *Store) conditions(w storage.Write) []clientv3.Cmp {
	cs := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(s.keys.object(w.Key)), "=", int64(w.Expect))}
	switch {
	case w.Within.Resource == "":
	case w.WithinAt != 0:
		cs = append(cs, clientv3.Compare(clientv3.ModRevision(s.keys.object(w.Within)), "=", int64(w.WithinAt)))
	default:
		cs = append(cs, clientv3.Compare(clientv3.ModRevision(s.keys.object(w.Within)), ">", 0))
	}
	if w.Pool != "" { // the keys by which others have named the pool, before and after this run's own
		all, own, end := s.keys.pool(w.Pool), s.keys.pool(w.Pool)+s.run, clientv3.GetPrefixRangeEnd(s.keys.pool(w.Pool))
		behind := int64(w.PoolAt) + 1
		cs = append(cs, clientv3.Compare(clientv3.ModRevision(all), "<", behind).WithRange(own), clientv3.Compare(clientv3.ModRevision(own+"\x00"), "<", behind).WithRange(end))
	}
	return cs
}

// reasons are the reads by which a refusal is explained.
func (s *Store) reasons(w storage.Write) []clientv3.Op {
	ops := []clientv3.Op{clientv3.OpGet(s.keys.object(w.Key))}
	if w.Within.Resource != "" {
		ops = append(ops, clientv3.OpGet(s.keys.object(w.Within)))
	}
	return ops
}

// refusal is the error of a write whose conditions did not hold, by what its reasons have read.
func (s *Store) refusal(w storage.Write, done *clientv3.TxnResponse) error {
	if w.Within.Resource != "" {
		within, found := s.answered(w.Within, done, 1)
		switch {
		case !found:
			return &storage.KeyError{Err: storage.ErrNotFound, Key: w.Within}
		case w.WithinAt != 0 && within.Revision != w.WithinAt:
			return &storage.KeyError{Err: storage.ErrConflict, Key: w.Within, Stored: within}
		}
	}
	stored, found := s.answered(w.Key, done, 0)
	switch {
	case w.Pool != "" && stored.Revision == w.Expect: // all else is as it was to be
		return &storage.KeyError{Err: storage.ErrConflict, Key: storage.Key{Resource: w.Pool}}
	case w.Op == storage.OpCreate:
		return &storage.KeyError{Err: storage.ErrExists, Key: w.Key}
	case !found:
		return &storage.KeyError{Err: storage.ErrNotFound, Key: w.Key}
	}
	return &storage.KeyError{Err: storage.ErrConflict, Key: w.Key, Stored: stored}
}

func (s *Store) answered(k storage.Key, done *clientv3.TxnResponse, i int) (storage.Record, bool) {
	kvs := done.Responses[i].GetResponseRange().Kvs
	if len(kvs) == 0 {
		return storage.Record{}, false
	}
	return record(k, kvs[0]), true
}
