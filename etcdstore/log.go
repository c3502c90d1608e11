package etcdstore

import (
	"cmp"
	"context"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/flow/object"
	"kubarium/server/storage"
)

// leastSpan is how many revisions are read at first when few changes are asked for.
const leastSpan = 256

// Log implements storage.Engine. A watch of etcd has the changes since the boundary; the changes that made the older
// objects what they are come from the objects themselves.
func (s *Store) Log(ctx context.Context, o storage.LogOptions) ([]storage.Logged, error) {
	newest, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if o.Revision != 0 {
		return s.logOne(ctx, o.Revision, newest)
	}
	upto := newest
	if o.Before != 0 {
		upto = min(o.Before, newest)
	}
	if o.Terminating {
		return s.logTerminating(ctx, o, upto, newest)
	}
	log, err := s.logNewer(ctx, o, upto)
	if err != nil {
		return nil, err
	}
	if o.Limit == 0 || len(log) < o.Limit {
		older, err := s.logOlder(ctx, o, upto, newest, len(log))
		if err != nil {
			return nil, err
		}
		log = append(log, older...)
	}
	return log, s.keepTerminating(ctx, log, newest)
}

// logged is a change as the log returns it. It is Terminating if that is the object's newest version.
func logged(c storage.Change) storage.Logged {
	l := storage.Logged{Change: c, Bytes: int64(len(c.Value)), Terminating: object.Terminating(c.Value)}
	l.Value, l.Before = nil, nil
	return l
}

// logNewer reads what changed since the boundary, newest first: the newest revisions alone, if there are enough
// changes in them.
func (s *Store) logNewer(ctx context.Context, o storage.LogOptions, upto storage.Revision) ([]storage.Logged, error) {
	_, _, told := s.boundary()
	of := everything
	span := storage.Revision(max(2*o.Limit, leastSpan))
	if o.Key.Resource != "" || o.Limit == 0 {
		of, span = o.Key, upto
	}
	for ; ; span *= 4 {
		after := max(told, upto-span)
		var log []storage.Logged
		err := s.between(ctx, of, after, upto, func(c storage.Change) error {
			log = append(log, logged(c))
			return nil
		})
		if err != nil {
			return nil, err
		}
		if after == told || len(log) >= o.Limit {
			slices.Reverse(log)
			if o.Limit > 0 && len(log) > o.Limit {
				log = log[:o.Limit]
			}
			return log, s.sayWhen(ctx, of, log)
		}
	}
}

// sayWhen fills in when the deletions of one object were, and by whom.
func (s *Store) sayWhen(ctx context.Context, of storage.Key, log []storage.Logged) error {
	if of == everything {
		return nil
	}
	for i := range log {
		c := &log[i]
		if c.Type != storage.Deleted {
			continue
		}
		got, err := s.client.Get(ctx, s.keys.deletion(), clientv3.WithRev(int64(c.Revision)))
		if err != nil {
			return s.explain(ctx, c.Revision, err)
		}
		if len(got.Kvs) == 0 || got.Kvs[0].ModRevision != int64(c.Revision) {
			continue
		}
		if sealed, _, ok := unseal(got.Kvs[0].Value); ok {
			c.At, c.Outside = sealed.at, s.outside(sealed, c.BeforeRevision)
		}
	}
	return nil
}

// logOlder reads the changes at and below the boundary that made the objects what they are, newest first, after those
// that were found.
func (s *Store) logOlder(ctx context.Context, o storage.LogOptions, upto, newest storage.Revision, found int) ([]storage.Logged, error) {
	_, _, told := s.boundary()
	if upto = min(upto, told); upto <= 0 {
		return nil, nil
	}
	first, how := s.keys.objects(), clientv3.WithPrefix()
	if o.Key.Resource != "" {
		first, how = s.keys.object(o.Key), clientv3.WithRange("")
	}
	limit := int64(0)
	if o.Limit > 0 {
		limit = int64(o.Limit - found)
	}
	got, err := s.read(ctx, first, newest, how, clientv3.WithMaxModRev(int64(upto)), clientv3.WithSort(clientv3.SortByModRevision, clientv3.SortDescend), clientv3.WithLimit(limit))
	if err != nil {
		return nil, err
	}
	var log []storage.Logged
	for _, kv := range got.Kvs {
		if _, ok := s.keys.read(kv.Key); ok {
			log = append(log, logged(s.stood(kv)))
		}
	}
	return log, nil
}

// logTerminating finds the changes that made objects what is terminating still, newest first.
func (s *Store) logTerminating(ctx context.Context, o storage.LogOptions, upto, newest storage.Revision) (log []storage.Logged, err error) {
	take := func(kv *mvccpb.KeyValue) error {
		if l := logged(s.stood(kv)); l.Terminating && l.Revision <= upto {
			log = append(log, l)
		}
		return nil
	}
	if o.Key.Resource != "" {
		var got *clientv3.GetResponse
		if got, err = s.read(ctx, s.keys.object(o.Key), newest); err == nil && len(got.Kvs) > 0 {
			err = take(got.Kvs[0])
		}
	} else {
		err = s.pages(ctx, newest, take, clientv3.WithLimit(pageOfValues))
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(log, func(a, b storage.Logged) int { return cmp.Compare(b.Revision, a.Revision) })
	if o.Limit > 0 && len(log) > o.Limit {
		log = log[:o.Limit]
	}
	return log, nil
}

// pageOfValues is how many objects are read at once where all are looked at.
const pageOfValues = 500

// keepTerminating leaves those changes Terminating that made the newest versions of their objects.
func (s *Store) keepTerminating(ctx context.Context, log []storage.Logged, newest storage.Revision) error {
	var asked []*storage.Logged
	for i := range log {
		if log[i].Terminating {
			asked = append(asked, &log[i])
		}
	}
	for some := range slices.Chunk(asked, valuesAtOnce) {
		gets := make([]clientv3.Op, len(some))
		for i, l := range some {
			gets[i] = clientv3.OpGet(s.keys.object(l.Key), clientv3.WithRev(int64(newest)), clientv3.WithKeysOnly())
		}
		got, err := s.client.Txn(ctx).Then(gets...).Commit()
		if err != nil {
			return s.explain(ctx, newest, err)
		}
		for i, l := range some {
			kvs := got.Responses[i].GetResponseRange().Kvs
			l.Terminating = len(kvs) > 0 && kvs[0].ModRevision == int64(l.Revision)
		}
	}
	return nil
}

// logOne finds the change of a revision, with the object before and after it as far as these can be read.
func (s *Store) logOne(ctx context.Context, at, newest storage.Revision) (log []storage.Logged, err error) {
	if at > newest {
		return nil, nil
	}
	take := func(c storage.Change) error {
		log = append(log, storage.Logged{Change: c, Bytes: int64(len(c.Value))})
		return nil
	}
	if _, _, told := s.boundary(); at > told {
		return log, s.between(ctx, everything, at-1, at, take)
	}
	got, err := s.read(ctx, s.keys.objects(), newest, clientv3.WithPrefix(), clientv3.WithMinModRev(int64(at)), clientv3.WithMaxModRev(int64(at)))
	if err != nil {
		return nil, err
	}
	for _, kv := range got.Kvs {
		if _, ok := s.keys.read(kv.Key); ok {
			_ = take(s.stood(kv))
		}
	}
	return log, nil
}
