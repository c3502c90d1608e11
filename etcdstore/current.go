package etcdstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"kubarium/server/storage"
)

// questions ask etcd for its newest revision, which all of its members must agree on. Whoever asks while one is under way shares the
// next: one that was sent before may be answered by what was the newest then.
type questions struct {
	mu   sync.Mutex // guards the rest
	next *question  // has not been sent; nil if nobody waits for it
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

// Current implements storage.Store.
func (s *Store) Current(ctx context.Context) (storage.Revision, error) {
	s.mu.Lock()
	err := s.usable()
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	t := startTrace(ctx)
	q := s.join()
	select {
	case <-q.answered:
		t.shared(s.keys, q)
		return q.newest, q.err
	case <-s.running.Done():
		return 0, s.over()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// join is the question that is sent next.
func (s *Store) join() *question {
	qs := &s.questions
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.next == nil {
		qs.next = &question{answered: make(chan struct{})}
	}
	if !qs.busy {
		qs.busy = true
		go s.ask()
	}
	return qs.next
}

// ask sends questions, one behind the other, until nobody waits for one.
func (s *Store) ask() {
	qs := &s.questions
	for {
		qs.mu.Lock()
		q := qs.next
		qs.next = nil
		qs.busy = q != nil
		qs.mu.Unlock()
		if q == nil {
			return
		}
		q.begun = time.Now()
		q.newest, q.err = s.followedSoon()
		q.length = time.Since(q.begun)
		close(q.answered)
	}
}

// quorum is how long an answer of all members may take: as long as etcd waits itself before it gives up what it is asked.
const quorum = 7 * time.Second

// followedSoon is followed, which fails as a write does where there is no quorum.
func (s *Store) followedSoon() (storage.Revision, error) {
	ctx, cancel := context.WithTimeout(s.running, quorum)
	defer cancel()
	newest, err := s.followed(ctx)
	switch {
	case s.running.Err() != nil:
		return 0, s.over()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return 0, s.failed(rpctypes.ErrTimeout)
	}
	return newest, err
}

// followed is etcd's newest revision, once the follower has had all up to it.
func (s *Store) followed(ctx context.Context) (storage.Revision, error) {
	newest, err := s.current(ctx)
	if err == nil {
		err = s.await(ctx, newest, true)
	}
	return newest, err
}
