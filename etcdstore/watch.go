package etcdstore

import (
	"context"
	"errors"
	"iter"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// A told is what a watch brings at once: all events of some revisions, each revision whole, in their order. There may
// be none: then it has only head.
type told struct {
	events []*clientv3.Event
	head   storage.Revision // the newest up to which everything has come
}

// everything means all that is below the prefix, where an object's key means that object alone.
var everything storage.Key

// watched yields what happens to what after a revision, each event once, until ctx ends. Where a watch breaks, it
// goes on after the last event. An error is the last: the context's, or ErrCompacted when etcd has compacted a change
// that was to come, or the version that it replaced.
func (s *Store) watched(ctx context.Context, w clientv3.Watcher, what storage.Key, after storage.Revision) iter.Seq2[told, error] {
	return func(yield func(told, error) bool) {
		for {
			more, err := s.watchOnce(ctx, w, what, &after, yield)
			switch {
			case !more:
				return
			case errors.Is(err, rpctypes.ErrCompacted):
				yield(told{}, err)
				return
			}
			select {
			case <-time.After(watchAgain):
			case <-ctx.Done():
				yield(told{}, ctx.Err())
				return
			}
		}
	}
}

// watchOnce is watched until the watch ends, and returns why; after moves on with the events. There is no more to do
// when yield returns false.
func (s *Store) watchOnce(ctx context.Context, w clientv3.Watcher, what storage.Key, after *storage.Revision, yield func(told, error) bool) (more bool, err error) {
	ctx, cancel := context.WithCancel(ledBy(ctx))
	defer cancel()
	key, end := s.keys.prefix, clientv3.GetPrefixRangeEnd(s.keys.prefix)
	if what != everything {
		key, end = s.keys.object(what), ""
	}
	behind := []clientv3.OpOption{clientv3.WithRange(end), clientv3.WithPrevKV(), clientv3.WithRev(int64(*after) + 1), clientv3.WithProgressNotify()}
	for r := range w.Watch(ctx, key, behind...) {
		if err := r.Err(); err != nil {
			return true, err
		}
		t := told{head: *after}
		for _, e := range r.Events {
			// A watch that begins again on a member that lags may repeat what is known.
			if at := storage.Revision(e.Kv.ModRevision); at > *after {
				t.events, t.head = append(t.events, e), at
			}
		}
		if r.IsProgressNotify() {
			t.head = max(t.head, storage.Revision(r.Header.Revision))
		}
		if t.head == *after {
			continue
		}
		if err := s.complete(ctx, t.events); err != nil {
			return true, err
		}
		*after = t.head
		if !yield(t, nil) {
			return false, nil
		}
	}
	return true, nil
}

// complete reads what objects were before events. etcd reads it when it sends an event, and leaves it out where it
// cannot, as when it was compacted.
func (s *Store) complete(ctx context.Context, events []*clientv3.Event) error {
	for _, e := range events {
		if _, ok := s.keys.read(e.Kv.Key); !ok || e.IsCreate() || e.PrevKv != nil {
			continue
		}
		got, err := s.client.getSoon(ctx, string(e.Kv.Key), clientv3.WithRev(e.Kv.ModRevision-1))
		if err != nil {
			return err
		}
		for _, kv := range got.Kvs {
			e.PrevKv = kv
		}
	}
	return nil
}

// askAgain is how long etcd gets to report its progress before it is asked once more: it reports none while a watch
// catches up, or breaks.
const askAgain = 10 * time.Millisecond

// hurry asks etcd for its progress on a watch until ctx ends. Where it cannot be asked the watch breaks too, and
// begins again.
func hurry(ctx context.Context, w clientv3.Watcher) {
	for {
		again := askAgain
		if err := w.RequestProgress(ledBy(ctx)); err != nil {
			again = watchAgain
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return
		}
	}
}
