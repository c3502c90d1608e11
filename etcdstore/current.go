package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/server/storage"
)

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

// ask sends questions, one after the other, until no caller waits for one.
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

// quorum is how long an answer of all members may take: as long as etcd waits itself before it gives up what it is
// asked.
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

// current is etcd's newest revision, as all of its members agree.
func (s *Store) current(ctx context.Context) (storage.Revision, error) {
	got, err := s.getSoon(ctx, s.keys.compacted(), clientv3.WithCountOnly())
	if err != nil {
		return 0, s.failed(err)
	}
	return storage.Revision(got.Header.Revision), nil
}

// await waits until the follower has had a revision. A revision that is not below the prefix comes only with etcd's
// progress, which ask asks for.
func (s *Store) await(ctx context.Context, at storage.Revision, ask bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		s.mu.Lock()
		head, moved := s.head, s.moved
		s.mu.Unlock()
		switch {
		case head >= at:
			return nil
		case s.ended() != nil:
			return s.ended()
		case ask:
			ask = false
			go hurry(ctx, s.watcher)
		}
		select {
		case <-moved:
		case <-s.stopped:
			return s.over()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sameEtcd ends the store where etcd has less than the follower had before etcd was asked: an older backup has taken
// the place of its data, and etcd gives the lost revisions again.
func (s *Store) sameEtcd(had storage.Revision, now int64) error {
	if storage.Revision(now) >= had {
		return nil
	}
	s.fail(&storage.Failure{Err: storage.ErrDetached, Text: fmt.Sprintf("etcd is at revision %d, and was at %d: its data is not what it was; start this server again", now, had)})
	return s.ended()
}

func parseRevision(text []byte) (storage.Revision, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err == nil && n < 0 {
		err = errors.New("a revision below 0")
	}
	return storage.Revision(n), err
}
