package etcdstore

import (
	"context"
	"slices"
	"sort"
	"time"

	"kubarium/server/storage"
)

const (
	leastPast   = 10 * time.Minute      // how far back a store knows at least which revision was the newest when
	sampleEvery = 50 * time.Millisecond // least time between two samples
)

// A sample says which revision the follower had at a time of this run.
type sample struct {
	at   time.Time
	head storage.Revision
}

// past is which revision was the newest when. Store.mu guards it.
type past struct {
	samples []sample      // oldest first; the first is of the start, or older than keep
	keep    time.Duration // how far back samples are kept
	last    time.Time     // when the head moved last
	changed storage.Revision
	raised  time.Time // when the boundary moved last
}

// moved notes that the head is another one.
func (p *past) moved(now time.Time, head storage.Revision) {
	p.last = now
	if now.Sub(p.samples[len(p.samples)-1].at) < sampleEvery {
		return
	}
	p.samples = append(p.samples, sample{now, head})
	if old := p.before(now.Add(-p.keep)); old > len(p.samples)/2 {
		p.samples = slices.Delete(p.samples, 0, old)
	}
}

// before is the index of the newest sample that is not younger than a time, -1 for none.
func (p *past) before(t time.Time) int {
	return sort.Search(len(p.samples), func(i int) bool { return p.samples[i].at.After(t) }) - 1
}

// RevisionAt implements storage.Engine. A store knows what it has followed itself.
func (s *Store) RevisionAt(_ context.Context, t time.Time) (storage.Revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.past.last.IsZero() && !t.Before(s.past.last) {
		return s.head, nil
	}
	return s.past.samples[max(0, s.past.before(t))].head, nil
}

// timeOf is when the follower had a revision, as far as the store knows: the time of a change that has no time of its
// own.
func (s *Store) timeOf(at storage.Revision) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := sort.Search(len(s.past.samples), func(i int) bool { return s.past.samples[i].head >= at })
	if i == len(s.past.samples) {
		return s.now()
	}
	return s.past.samples[i].at
}

// forgetOld compacts up to the revision that was the newest when the history's window began; that one stays readable,
// because it could be read inside the window. It does nothing where another server has just done it, and where no
// object was changed since.
func (s *Store) forgetOld(ctx context.Context, every time.Duration) error {
	s.mu.Lock()
	now, p := s.now(), &s.past
	began := p.before(now.Add(-s.options.History))
	idle := began < 0 || now.Sub(p.raised) < every || p.changed < s.readable()
	var at storage.Revision
	if !idle {
		at = p.samples[began].head - 1
	}
	done := at < s.readable()
	s.mu.Unlock()
	if idle || done {
		return nil
	}
	if err := s.Compact(ctx, at); err != nil {
		return err
	}
	return s.forgetPools(ctx)
}
