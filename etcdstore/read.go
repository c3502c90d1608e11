package etcdstore

import (
	"bytes"
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// record is an object as etcd has it.
func record(k storage.Key, kv *mvccpb.KeyValue) storage.Record {
	_, value, _ := unseal(kv.Value)
	return storage.Record{Key: k, Revision: storage.Revision(kv.ModRevision), Value: value}
}

// Get implements storage.Store.
func (s *Store) Get(ctx context.Context, k storage.Key, at storage.Revision) (storage.Record, error) {
	kv, err := s.object(ctx, k, at)
	if err != nil {
		return storage.Record{}, err
	}
	return record(k, kv), nil
}

// Sealed is Get of the newest version, with the line above its value in etcd: "" if another program has put it
// without one.
func (s *Store) Sealed(ctx context.Context, k storage.Key) (r storage.Record, line string, err error) {
	kv, err := s.object(ctx, k, 0)
	if err != nil {
		return r, "", err
	}
	r = record(k, kv)
	above := bytes.TrimSuffix(kv.Value, r.Value)
	return r, string(bytes.TrimSuffix(above, []byte{'\n'})), nil
}

// object is an object's key and value at a revision, 0 for the newest.
func (s *Store) object(ctx context.Context, k storage.Key, at storage.Revision) (*mvccpb.KeyValue, error) {
	got, err := s.read(ctx, s.keys.object(k), at)
	switch {
	case err != nil:
		return nil, err
	case len(got.Kvs) == 0:
		return nil, &storage.KeyError{Err: storage.ErrNotFound, Key: k}
	}
	return got.Kvs[0], nil
}

// List implements storage.Store.
func (s *Store) List(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	all := s.keys.resource(o.Resource)
	first := all + o.Prefix
	if o.After != "" {
		first = max(first, all+o.After+"\x00")
	}
	end := clientv3.GetPrefixRangeEnd(all + o.Prefix)
	which := []clientv3.OpOption{clientv3.WithRange(end), clientv3.WithLimit(int64(o.Limit))}
	if first >= end { // after all: only the revision is read
		which = []clientv3.OpOption{clientv3.WithCountOnly()}
	}
	got, err := s.read(ctx, first, o.At, which...)
	if err != nil {
		return storage.Page{}, err
	}
	p := storage.Page{Revision: o.At, More: got.More}
	if o.At == 0 {
		p.Revision = storage.Revision(got.Header.Revision)
	}
	for _, kv := range got.Kvs {
		k, _ := s.keys.read(kv.Key)
		p.Records = append(p.Records, record(k, kv))
	}
	if p.More && !o.Uncounted {
		p.Remaining = int(got.Count) - len(got.Kvs)
	}
	return p, nil
}

// read reads from etcd at a revision, which must be one that the store lets be read.
func (s *Store) read(ctx context.Context, key string, at storage.Revision, more ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if _, lowest := s.Head(); at != 0 && at < lowest {
		return nil, &storage.RevisionError{Err: storage.ErrExpired, Asked: at, Current: lowest}
	}
	got, err := s.get(ctx, key, append(more, clientv3.WithRev(int64(at)))...)
	return got, s.explain(ctx, at, err)
}

// explain makes an error of etcd what it is to the caller.
func (s *Store) explain(ctx context.Context, at storage.Revision, err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrFutureRev):
		newest, err := s.current(ctx)
		if err != nil {
			return err
		}
		return &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: newest}
	case errors.Is(err, rpctypes.ErrCompacted):
		if err := s.findCompacted(ctx, at); err != nil {
			return s.failed(err)
		}
		_, lowest := s.Head()
		return &storage.RevisionError{Err: storage.ErrExpired, Asked: at, Current: lowest}
	}
	return s.failed(err)
}

// Changes implements storage.Store.
func (s *Store) Changes(ctx context.Context, resource string, after storage.Revision, limit int) ([]storage.Change, error) {
	newest, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if after > newest {
		return nil, &storage.RevisionError{Err: storage.ErrTooLarge, Asked: after, Current: newest}
	}
	var found []storage.Change
	t := startTrace(ctx)
	defer func() { t.watched(s.keys.prefix, after, len(found)) }()
	err = s.between(ctx, everything, after, newest, func(c storage.Change) error {
		if n := len(found); limit > 0 && n >= limit && c.Revision > found[n-1].Revision {
			return errEnough
		}
		if resource == "" || c.Key.Resource == resource {
			found = append(found, c)
		}
		return nil
	})
	return found, err
}

// errEnough ends between early.
var errEnough = errors.New("enough")

// between calls fn with the changes of everything, or of one object, with revisions above after, up to and including
// upto, which etcd must have already, until fn returns an error. errEnough is none. They come from a watch of its
// own. The deletions of one object have no time and no writer: these are under another key.
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
