package etcdstore

import (
	"context"
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
	// Shared compacts a cluster that holds keys outside the prefix too. Their history goes with it; otherwise
	// compaction is refused there.
	Shared bool
	// Compacted, if set, is called each time that revisions below one can no longer be read, whichever server
	// compacted. It must not block, and not call the store.
	Compacted func(readable storage.Revision)
	// Health, if set, is called whenever Healthy has something else to say. It must not block.
	Health func()
}

// A Store is a storage.Engine below a prefix of an etcd cluster.
type Store struct {
	options Options
	client  client
	watcher clientv3.Watcher // of the watch that feeds the follower
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

// Head implements storage.Store.
func (s *Store) Head() (newest, compacted storage.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head, s.readable()
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

// usable says why nothing more can be begun; mu is held. Where etcd has not answered for long, nothing begins that
// would wait for it in vain.
func (s *Store) usable() error {
	switch {
	case s.closed:
		return errClosed
	case s.ended() != nil:
		return s.ended()
	}
	return s.silence()
}

// An ownWrite is a write of this run whose change the follower has not had.
type ownWrite struct {
	summary *storage.Summary
	change  *storage.Change // once the follower has had it
}

// questions ask etcd for its newest revision, which all of its members must agree on. Callers that ask while one is
// under way share the next: one that was sent before may be answered by what was the newest then.
type questions struct {
	mu   sync.Mutex // guards the rest
	next *question  // has not been sent; nil if no caller waits for it
	busy bool       // one is under way
}

// A question is one that several share.
type question struct {
	answered chan struct{} // closed when the rest is set
	newest   storage.Revision
	err      error
	begun    time.Time     // when it was sent
	length   time.Duration // until the follower had had all up to the answer
}
