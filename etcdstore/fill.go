package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"kubarium/server/storage"
)

const (
	putsAtOnce  = 256              // under way
	spentAtOnce = 50_000           // revisions, before what they left is compacted
	cleanUpWait = 30 * time.Second // for etcd to take away what a Filling that failed has put
)

var (
	// ErrNotEmpty is why a store is not filled that has objects.
	ErrNotEmpty = errors.New("it has objects already")
	// ErrFilling is why a store is not used that is being filled.
	ErrFilling = errors.New("another kubarium migrate is filling it, or was killed while it did")
)

// A Filling makes the objects of another store those of one that has none. They get revisions of etcd's, each its
// own: etcd's revisions cannot be set, but be spent until they are above those of the other store.
type Filling struct {
	Client *clientv3.Client
	Prefix string           // as in Options
	Above  storage.Revision // no object gets a revision up to this one
	Shared bool             // as in Options
	// Files, if set, makes the keys and certificates that all servers of the store have, where it has none yet.
	Files func() (map[string][]byte, error)
	// Progress, if set, gets how far the revisions are, and how many objects there are so far. It is called often, by
	// many goroutines.
	Progress func(newest storage.Revision, objects int)

	begun   int64 // revision of the mark that the store is being filled
	newest  atomic.Int64
	objects atomic.Int64
}

// A Filled is what a Filling has done.
type Filled struct {
	Objects  int
	Revision storage.Revision // of the newest object; what is older cannot be read
}

// Run takes the objects that from puts: each with its value and its time. It leaves a store that it cannot fill as it
// was, except for etcd's revision, or the error says what is left. Errors: ErrNotEmpty, ErrFilling, and those of
// from.
func (f *Filling) Run(ctx context.Context, from func(put func(storage.Change) error) error) (Filled, error) {
	s := &Store{client: client{f.Client}, keys: keysBelow(f.Prefix), options: Options{Shared: f.Shared}, now: time.Now}
	if err := f.begin(ctx, s); err != nil {
		return Filled{}, s.failed(err)
	}
	err := f.spend(ctx, s)
	if err == nil {
		err = f.put(ctx, s, from)
	}
	if err == nil && f.Files != nil {
		_, err = Files(ctx, f.Client, f.Prefix, f.Files)
	}
	done := Filled{Objects: int(f.objects.Load()), Revision: storage.Revision(f.newest.Load())}
	if err == nil {
		err = f.end(ctx, s, done.Revision)
	}
	if err != nil {
		return Filled{}, errors.Join(s.failed(err), f.undo(ctx, s))
	}
	return done, nil
}

// begin marks the store as one that is being filled, if it is empty.
func (f *Filling) begin(ctx context.Context, s *Store) error {
	all := clientv3.GetPrefixRangeEnd(s.keys.objects())
	done, err := s.client.Txn(ctx).If(
		clientv3.Compare(clientv3.CreateRevision(s.keys.objects()), "=", 0).WithRange(all),
		clientv3.Compare(clientv3.CreateRevision(s.keys.filling()), "=", 0),
	).Then(clientv3.OpPut(s.keys.filling(), "")).Else(clientv3.OpGet(s.keys.filling())).Commit()
	switch {
	case err != nil:
		return err
	case done.Succeeded:
		f.begun = done.Header.Revision
		f.newest.Store(f.begun)
		return nil
	case len(done.Responses[0].GetResponseRange().Kvs) > 0:
		return s.keys.errFilling()
	}
	return ErrNotEmpty
}

// errFilling says what to do about a store that is half full.
func (k keys) errFilling() error {
	return fmt.Errorf("%w: take away what it left by etcdctl del --prefix %s", ErrFilling, k.prefix)
}

// spend spends revisions, many at once.
func (f *Filling) spend(ctx context.Context, s *Store) error {
	for {
		missing := int64(f.Above) - f.newest.Load()
		if missing <= 0 {
			return nil
		}
		some, cancelled := errgroup.WithContext(ctx)
		some.SetLimit(putsAtOnce)
		for range min(missing, spentAtOnce) {
			if cancelled.Err() != nil {
				break
			}
			some.Go(func() error {
				return f.write(cancelled, s, clientv3.OpPut(s.keys.filling(), ""))
			})
		}
		if err := some.Wait(); err != nil {
			return fmt.Errorf("spend revisions up to %d: %w", f.Above, err)
		}
		if missing <= spentAtOnce {
			continue
		}
		if err := f.compact(ctx, s, f.newest.Load()); err != nil {
			return err
		}
	}
}

// write writes as long as the store is marked as filled by this Filling. So no write that was under way when undo
// began comes after it.
func (f *Filling) write(ctx context.Context, s *Store, ops ...clientv3.Op) error {
	done, err := s.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(s.keys.filling()), "=", f.begun)).Then(ops...).Commit()
	if err != nil {
		return err
	}
	if !done.Succeeded {
		return fmt.Errorf("the key %s was removed by another program", s.keys.filling())
	}
	f.came(done.Header.Revision)
	return nil
}

// came notes a revision that etcd has given.
func (f *Filling) came(revision int64) {
	for {
		before := f.newest.Load()
		if revision <= before || f.newest.CompareAndSwap(before, revision) {
			break
		}
	}
	if f.Progress != nil {
		f.Progress(storage.Revision(f.newest.Load()), int(f.objects.Load()))
	}
}

// compact compacts etcd, unless others use it.
func (f *Filling) compact(ctx context.Context, s *Store, at int64) error {
	err := s.alone(ctx)
	if errors.Is(err, ErrShared) {
		return nil
	}
	if err == nil {
		_, err = f.Client.Compact(ctx, at)
	}
	if errors.Is(err, rpctypes.ErrCompacted) {
		return nil
	}
	return err
}

// put puts the objects, each in a transaction of its own, many at once.
func (f *Filling) put(ctx context.Context, s *Store, from func(put func(storage.Change) error) error) error {
	all, cancelled := errgroup.WithContext(ctx)
	all.SetLimit(putsAtOnce)
	err := from(func(c storage.Change) error {
		if err := cancelled.Err(); err != nil {
			return err
		}
		sealed := envelope{at: c.At, run: "migrate"}.seal(c.Value)
		all.Go(func() error {
			switch err := f.write(cancelled, s, clientv3.OpPut(s.keys.object(c.Key), sealed)); {
			case err == nil:
				f.objects.Add(1)
				return nil
			case tooLarge(err):
				return fmt.Errorf("%s has %d bytes, more than etcd takes in one request; start etcd with a larger --max-request-bytes", c.Key, len(c.Value))
			case ctx.Err() == nil:
				return fmt.Errorf("put %s: %w", c.Key, err)
			default:
				return err
			}
		})
		return nil
	})
	if failed := all.Wait(); failed != nil {
		return failed
	}
	return err
}

// end makes what is older unreadable, and the store one that can be used.
func (f *Filling) end(ctx context.Context, s *Store, lowest storage.Revision) error {
	err := f.write(ctx, s, clientv3.OpPut(s.keys.compacted(), strconv.FormatInt(int64(lowest), 10)), clientv3.OpDelete(s.keys.filling()))
	if err == nil {
		_ = f.compact(ctx, s, int64(lowest)-1) // which is for space alone: the servers compact too
	}
	return err
}

// undo takes away what was put.
func (f *Filling) undo(ctx context.Context, s *Store) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpWait)
	defer cancel()
	_, err := s.client.Txn(ctx).Then(clientv3.OpDelete(s.keys.objects(), clientv3.WithPrefix()), clientv3.OpDelete(s.keys.filling())).Commit()
	if err != nil {
		return fmt.Errorf("what was put is left there: etcdctl del --prefix %s", s.keys.prefix)
	}
	return nil
}
