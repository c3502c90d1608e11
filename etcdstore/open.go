package etcdstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// Open opens a store. The client stays the caller's.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Store{
		options: o, client: client{o.Client}, watcher: clientv3.NewWatcher(o.Client), keys: keysBelow(o.Prefix), now: o.Now, run: rand.Text()[:10],
		stopped: make(chan struct{}), moved: make(chan struct{}), own: map[uint64]*ownWrite{}, bare: map[version]*bareDeletion{},
	}
	got, err := s.client.getSoon(ctx, s.keys.compacted())
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	filling, err := s.client.getSoon(ctx, s.keys.filling(), clientv3.WithCountOnly())
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	if filling.Count > 0 {
		return nil, fmt.Errorf("open the store: %w", s.keys.errFilling())
	}
	for _, kv := range got.Kvs {
		if s.lowest, err = parseRevision(kv.Value); err != nil {
			return nil, fmt.Errorf("open the store: %s: %w", kv.Key, err)
		}
	}
	s.head = storage.Revision(got.Header.Revision)
	s.past = past{samples: []sample{{s.now(), s.head}}, keep: max(o.History, leastPast), changed: s.head}
	if err := s.lookCompacted(ctx); err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s.running, s.stop = context.WithCancel(context.Background())
	go s.follow(s.running, s.head)
	s.tending.Go(func() { s.tend(s.running) })
	return s, nil
}

// Close implements storage.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.underway.Wait()
	s.stop()
	<-s.stopped
	s.tending.Wait()
	_ = s.watcher.Close() // no more than that it was under way
	return nil
}
