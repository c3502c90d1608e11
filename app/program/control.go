package program

import (
	"context"
	"sync"

	"kubarium/server/controllers"
	"kubarium/server/storage"
)

// runLoops runs the controllers until ctx ends.
func (p *Program) runLoops(ctx context.Context, list controllers.List) {
	for ctx.Err() == nil {
		run, stop := p.loops.next(ctx)
		self := p.self()
		since, _, _ := p.cache.Settled(run) // after next: a restore from now on ends these
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

// restored sees each batch of the store: after a restore the controllers begin again.
func (p *Program) restored(b storage.Batch) {
	if b.Restored != 0 {
		p.loops.beginAnew()
	}
}
