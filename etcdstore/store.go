package etcdstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

// Options say where a store is.
type Options struct {
	Client  *clientv3.Client
	Prefix  string           // of all keys of the store; "/" is added at its end
	Now     func() time.Time // time.Now if nil
	Logger  *slog.Logger     // for what happens in the background; nil discards
	History time.Duration    // how long old revisions stay readable; 0 means until Compact is called
	// Shared compacts a cluster that holds keys outside the prefix too. The history of whoever they belong to goes with it; otherwise
	// compaction is refused there.
	Shared bool
	// Compacted, if set, is told each time that revisions below one can no longer be read, whoever made them so. It must not block,
	// and not call the store.
	Compacted func(readable storage.Revision)
	// Health, if set, is called whenever Healthy has something else to say. It must not block.
	Health func()
}

// A Store is a storage.Engine below a prefix of an etcd cluster.
type Store struct {
	options Options
	client  client
	watcher clientv3.Watcher // what the follower is told by
	keys    keys
	now     func() time.Time
	run     string
	writes  atomic.Uint64 // of this run
	health  health

	questions questions
	running   context.Context // until Close, or until the store has ended
	stop      context.CancelFunc
	stopped   chan struct{} // the watch has ended
	tending   sync.WaitGroup

	mu       sync.Mutex // guards the rest
	follower func(storage.Batch)
	head     storage.Revision // the follower has had everything up to here
	lowest   storage.Revision // that can be read, as the servers have agreed; 0 if nothing was compacted
	gone     storage.Revision // that etcd was compacted at, by whomever; 0 if not known to be
	past     past
	moved    chan struct{}        // is closed when head grows
	own      map[uint64]*ownWrite // by their numbers
	bare     map[version]*bareDeletion
	closed   bool
	underway sync.WaitGroup
}

var _ storage.Engine = (*Store)(nil)

var errClosed = fmt.Errorf("the store is closed")

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

// Head implements storage.Store.
func (s *Store) Head() (newest, compacted storage.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head, s.readable()
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

// enter begins what Close waits for.
func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	s.underway.Add(1)
	return nil
}

// usable says why nothing more can be begun; mu is held. Where etcd has not answered for long, nothing begins that would wait for it in vain.
func (s *Store) usable() error {
	switch {
	case s.closed:
		return errClosed
	case s.ended() != nil:
		return s.ended()
	}
	return s.silence()
}
