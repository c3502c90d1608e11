package program

import (
	"context"
	"sync"
)

// loops are the controllers of a Program. After a restore of the store they begin again, since what they know may be
// about objects that are gone. Their late requests are refused by the revision since which they have watched.
type loops struct {
	mu   sync.Mutex // guards stop
	stop context.CancelFunc

	office sync.Mutex // of the leader, held while this server asks to be it, or is it
}

// resigned waits until this server has given up its Lease, for which it must still serve, or until ctx ends.
func (l *loops) resigned(ctx context.Context) {
	done := make(chan struct{})
	go func() { l.office.Lock(); defer l.office.Unlock(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// beginAnew ends the controllers that run, and others begin. It does not wait.
func (l *loops) beginAnew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop()
	}
}

// next is the context of the controllers that begin next.
func (l *loops) next(ctx context.Context) (context.Context, context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, l.stop = context.WithCancel(ctx)
	return ctx, l.stop
}
