package server

import (
	"cmp"
	"context"
	"sync"
	"time"

	"kubarium/flow"
)

// A lifetime is the context of a request that ends at its deadline: it carries the request's flow, and its timer
// begins when a caller first waits for the end. Most reads never wait, and look at Err alone.
type lifetime struct {
	context.Context // as net/http gave it to the request
	flow            *flow.Recorder
	deadline        time.Time

	mu     sync.Mutex // guards what follows
	err    error      // why it has ended
	waited context.Context
	cancel context.CancelFunc // of waited, or of a clock that counts the time instead
}

// begin sets what the context is of.
func (l *lifetime) begin(parent context.Context, f *flow.Recorder, timeout time.Duration) {
	l.Context, l.flow, l.deadline = parent, f, time.Now().Add(timeout)
}

// Deadline implements context.Context.
func (l *lifetime) Deadline() (time.Time, bool) {
	if earlier, ok := l.Context.Deadline(); ok && earlier.Before(l.deadline) {
		return earlier, true
	}
	return l.deadline, true
}

// Err implements context.Context.
func (l *lifetime) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.look()
}

// look is Err; l.mu is held.
func (l *lifetime) look() error {
	switch {
	case l.err != nil:
	case l.waited != nil:
		l.err = l.waited.Err()
	default:
		l.err = l.Context.Err()
		if l.err == nil && !time.Now().Before(l.deadline) {
			l.err = context.DeadlineExceeded
		}
	}
	return l.err
}

// Done implements context.Context.
func (l *lifetime) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waited == nil {
		l.waited, l.cancel = context.WithDeadline(l.Context, l.deadline)
		if l.err != nil {
			l.cancel()
		}
	}
	return l.waited.Done()
}

// Value implements context.Context. Contexts made of this one find in it the one that is waited for, so that they end
// with it without a goroutine of their own.
func (l *lifetime) Value(key any) any {
	if flow.IsKey(key) {
		return l.flow
	}
	l.mu.Lock()
	waited := l.waited
	l.mu.Unlock()
	if waited != nil {
		return waited.Value(key)
	}
	return l.Context.Value(key)
}

// end ends it, if it has begun and not ended.
func (l *lifetime) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Context != nil {
		l.err = cmp.Or(l.look(), context.Canceled)
	}
	if l.cancel != nil {
		l.cancel()
	}
}
