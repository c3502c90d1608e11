package flow

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// readers are those who want to know when there is something new.
type readers struct {
	mu   sync.Mutex // held by those who come and go
	wake atomic.Pointer[[]chan struct{}]
}

// Subscribe returns a channel that receives a token when something was published since the last token was taken, and one
// at once. end gives it back.
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

// change puts a changed copy in the place of the list, so that whoever publishes takes no lock.
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

// poke tells the readers that there is something new.
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

// underway are the requests that have begun and are not published, in the order in which they began.
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

// remove may be called again for a request that is gone. It returns the number that the request had, 0 if it was gone.
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

// isBefore tells whether one is under way that began before the number.
func (u *underway) isBefore(number uint64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.first != nil && u.first.number < number
}

// Settle waits until the requests that began before this one are published, so that a client finds in the Log what it has been
// answered: the last bytes of an answer may arrive before its flow is published. It waits for most at most, as others may
// wait for much longer. Nobody waits for a request that has called it: whoever reads the Log may do so for hours.
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
