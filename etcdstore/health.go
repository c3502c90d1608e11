package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"kubarium/server/storage"
)

const (
	lookEvery      = 2 * time.Second // how often the store looks whether etcd answers, and what others have compacted
	lookWait       = 2 * time.Second // for an answer
	unhealthyAfter = 5 * time.Second // without one
)

// A health is how the store as a whole is.
type health struct {
	mu      sync.Mutex       // guards the rest
	since   time.Time        // etcd has not answered; zero while it does
	silent  *storage.Failure // since long
	full    *storage.Failure // until a write succeeds, or etcd's alarm is off
	ended   error            // the follower hears no more, until the store is opened again
	refused bool             // compaction, and that was logged
}

// failure is what Healthy has to say. mu is held.
func (h *health) failure() error {
	switch {
	case h.ended != nil:
		return h.ended
	case h.silent != nil:
		return h.silent
	case h.full != nil:
		return h.full
	}
	return nil
}

// Healthy implements storage.Engine.
func (s *Store) Healthy() error {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	return s.health.failure()
}

// ended is why the store neither reads nor writes any more; nil while it does.
func (s *Store) ended() error {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	return s.health.ended
}

// silence is why etcd has not answered for long; nil if it has.
func (s *Store) silence() error {
	s.health.mu.Lock()
	defer s.health.mu.Unlock()
	if s.health.silent == nil {
		return nil
	}
	return s.health.silent
}

// change changes the health, and calls Options.Health where Healthy returns something else.
func (s *Store) change(fn func(h *health)) {
	s.health.mu.Lock()
	before := s.health.failure()
	fn(&s.health)
	now := s.health.failure()
	s.health.mu.Unlock()
	switch {
	case before == nil && now != nil:
		s.options.Logger.Error("store", "error", now)
	case before != nil && now == nil:
		s.options.Logger.Warn("store: etcd answers and takes writes again")
	case before == now:
		return
	}
	if s.options.Health != nil {
		s.options.Health()
	}
}

// failed makes a *storage.Failure of an error by which the store as a whole fails.
func (s *Store) failed(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace):
		f := &storage.Failure{Err: storage.ErrFull, Text: fmt.Sprintf("etcd (%s) has no space left for its quota: delete what is not needed, compact and defragment it, then etcdctl alarm disarm", s.members())}
		s.change(func(h *health) {
			if h.full == nil {
				h.full = f
			}
		})
		return f
	case unreachable(err):
		s.silent(err)
		return s.unreached(err)
	}
	return err
}

// unreachable reports whether an error is that of a request which etcd has not answered, or could not agree on.
func unreachable(err error) bool {
	var known rpctypes.EtcdError
	if errors.As(err, &known) {
		return known.Code() == codes.Unavailable
	}
	return errors.Is(err, clientv3.ErrNoAvailableEndpoints) || status.Code(err) == codes.Unavailable
}

func (s *Store) unreached(err error) *storage.Failure {
	if f := (*storage.Failure)(nil); errors.As(err, &f) {
		return f
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return &storage.Failure{Err: storage.ErrUnreachable, Text: fmt.Sprintf("etcd (%s) cannot be reached, or has no quorum: %s", s.members(), reason), Answer: reason}
}

func (s *Store) members() string { return strings.Join(s.client.Endpoints(), ", ") }

// silent notes that etcd has not answered.
func (s *Store) silent(err error) {
	s.change(func(h *health) {
		now := s.now()
		if h.since.IsZero() {
			h.since = now
		}
		if h.silent == nil && now.Sub(h.since) >= unhealthyAfter {
			h.silent = s.unreached(err)
		}
	})
}

// heard notes that etcd has answered.
func (s *Store) heard() {
	s.change(func(h *health) { h.since, h.silent = time.Time{}, nil })
}

// wrote notes that something was put.
func (s *Store) wrote() {
	s.change(func(h *health) { h.since, h.silent, h.full = time.Time{}, nil, nil })
}

// tend looks how etcd does, and compacts what is older than the history, until ctx ends.
func (s *Store) tend(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	every := min(max(s.options.History/5, lookEvery), time.Minute) // kube-apiserver compacts every five minutes
	for compacted := s.now(); ; {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
		s.look(ctx)
		if s.options.History == 0 || s.now().Sub(compacted) < every || s.silence() != nil {
			continue
		}
		compacted = s.now()
		s.report(ctx, s.forgetOld(ctx, every))
	}
}

// look asks etcd, through the watch too, and follows what others have compacted.
func (s *Store) look(ctx context.Context) {
	asked, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	_, err := s.followed(asked)
	if err == nil {
		err = s.lookCompacted(asked)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.silent(err)
	default:
		s.heard()
		s.lookFull(asked)
	}
}

// lookFull looks whether etcd has space again, where it had none.
func (s *Store) lookFull(ctx context.Context) {
	s.health.mu.Lock()
	full := s.health.full != nil
	s.health.mu.Unlock()
	if !full {
		return
	}
	alarms, err := s.client.AlarmList(ctx)
	if err != nil {
		return // the next look may find out
	}
	for _, a := range alarms.Alarms {
		if a.Alarm == etcdserverpb.AlarmType_NOSPACE {
			return
		}
	}
	s.change(func(h *health) { h.full = nil })
}

// report logs why the store could not be compacted; that it is refused is said once.
func (s *Store) report(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	if errors.Is(err, ErrShared) {
		s.health.mu.Lock()
		said := s.health.refused
		s.health.refused = true
		s.health.mu.Unlock()
		if said {
			return
		}
	}
	s.options.Logger.Warn("store: compaction", "error", err)
}

// ErrShared is why a cluster is not compacted that others use too.
var ErrShared = errors.New("the etcd cluster holds keys of others, whose history would go with it")

// fail ends the store: what the follower would hear from now on is not what happened. It hears that, last.
func (s *Store) fail(err error) {
	s.change(func(h *health) {
		if h.ended == nil {
			h.ended = err
		}
	})
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.follower != nil {
		s.follower(storage.Batch{Ended: s.ended()})
		s.follower = nil
	}
	close(s.moved)
	s.moved = make(chan struct{})
}

// over is why nothing more comes: the store has ended, or is closed.
func (s *Store) over() error {
	if err := s.ended(); err != nil {
		return err
	}
	return errClosed
}
