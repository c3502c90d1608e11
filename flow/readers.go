package flow

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// readers are the channels that are woken when something is published.
type readers struct {
	mu   sync.Mutex // held while the list changes
	wake atomic.Pointer[[]chan struct{}]
}

// Subscribe returns a channel that gets a token when something was published since the last token was taken, and one at
// once. end releases it.
func (l *Log) Subscribe() (wake <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	l.readers.change(func(all []chan struct{}) []chan struct{} { return append(all, c) })
	return c, func() {
		l.readers.change(func(all []chan struct{}) []chan struct{} {
			return slices.DeleteFunc(all, func(o chan struct{}) bool { return o == c })
		})
	}
}

// change replaces the list by a changed copy, so that publishing takes no lock.
func (r *readers) change(edit func([]chan struct{}) []chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var now []chan struct{}
	if was := r.wake.Load(); was != nil {
		now = slices.Clone(*was)
	}
	now = edit(now)
	r.wake.Store(&now)
}

// poke wakes the readers.
func (l *Log) poke() {
	all := l.readers.wake.Load()
	if all == nil {
		return
	}
	for _, c := range *all {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// underway are the requests that have begun and are not published yet, in the order in which they began.
type underway struct {
	mu    sync.Mutex
	begun uint64
	first *Recorder
	last  *Recorder
}

func (u *underway) add(r *Recorder) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.begun++
	r.number = u.begun
	r.earlier = u.last
	if u.last == nil {
		u.first = r
	} else {
		u.last.later = r
	}
	u.last = r
}

// remove returns the number of the request; 0, and it does nothing, if the request was removed before.
func (u *underway) remove(r *Recorder) (number uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	number = r.number
	if number == 0 {
		return 0
	}
	if r.earlier == nil {
		u.first = r.later
	} else {
		r.earlier.later = r.later
	}
	if r.later == nil {
		u.last = r.earlier
	} else {
		r.later.earlier = r.earlier
	}
	r.number, r.earlier, r.later = 0, nil, nil
	return number
}

// isBefore reports whether a request is in progress that began before the number.
func (u *underway) isBefore(number uint64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.first != nil && u.first.number < number
}

// Settle waits until the requests that began before this one are published, so that a client finds in the Log every
// request that has been answered: the last bytes of an answer may arrive before its flow is published. It waits at most
// most, as other requests may take much longer. No call of Settle waits for a request that has itself called it, since
// reading the Log may take hours.
func (r *Recorder) Settle(ctx context.Context, most time.Duration) {
	if r == nil {
		return
	}
	number := r.log.underway.remove(r)
	end := time.Now().Add(most)
	for r.log.underway.isBefore(number) && time.Now().Before(end) && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
}
