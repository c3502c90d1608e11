package program

import (
	"context"
	"sync"

	"kubarium/server/controllers"
	"kubarium/server/storage"
)

// loops are the controllers of a Program. Behind a restore of the store they begin anew: what they have in mind, and are in the
// middle of, is about objects that there may not be. What one of them still asks for is refused by the revision since which it
// has looked.
type loops struct {
	mu   sync.Mutex // guards stop
	stop context.CancelFunc

	office sync.Mutex // of the leader, held while this server asks to be it, or is it
}

// resigned waits until the others can elect a leader that is not this server, for which it must still serve; or until ctx ends.
func (l *loops) resigned(ctx context.Context) {
	done := make(chan struct{})
	go func() { l.office.Lock(); defer l.office.Unlock(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// beginAnew ends the controllers that run; others begin. It does not wait.
func (l *loops) beginAnew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop()
	}
}

// next is the life of the next ones.
func (l *loops) next(ctx context.Context) (context.Context, context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, l.stop = context.WithCancel(ctx)
	return ctx, l.stop
}

// runLoops runs the controllers until ctx ends.
func (p *Program) runLoops(ctx context.Context, list controllers.List) {
	for ctx.Err() == nil {
		run, stop := p.loops.next(ctx)
		self := p.self()
		since, _, _ := p.cache.Settled(run) // behind next: a restore from now on ends these
		self.Since = int64(since)
		var running sync.WaitGroup
		if p.api.Serves(definitions) {
			running.Go(func() { controllers.RunDefinitions(run, self, p.bootstrap.CustomVersions, p.logger) })
		}
		if list.Any() {
			running.Go(func() {
				p.lead(run, self, func(ctx context.Context) { controllers.Run(ctx, self, list, p.logger) })
			})
		}
		running.Wait()
		<-run.Done() // where none are switched on
		stop()
	}
}

// settled waits until what guards requests knows of a restore.
func (p *Program) settled(ctx context.Context, b storage.Batch) {
	if p.guards != nil {
		p.guards.informers.Settle(ctx, b.Changes)
	}
}

// restored is told of each batch of the store.
func (p *Program) restored(b storage.Batch) {
	if b.Restored != 0 {
		p.loops.beginAnew()
	}
}
