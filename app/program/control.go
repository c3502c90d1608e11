package program

import (
	"context"
	"sync"

	"kubarium/server"
	"kubarium/server/controllers"
	"kubarium/server/loopback"
	"kubarium/server/nodes"
	"kubarium/server/storage"
)

// runLoops runs the controllers until ctx ends.
func (p *Program) runLoops(ctx context.Context, c Config) {
	for ctx.Err() == nil {
		run, stop := p.loops.next(ctx)
		self := p.self()
		since, _, _ := p.cache.Settled(run) // after next: a restore from now on ends these
		self.Since = int64(since)
		var running sync.WaitGroup
		if p.api.Serves(definitions) {
			running.Go(func() { controllers.RunDefinitions(run, self, p.bootstrap.CustomVersions, p.logger) })
		}
		if work := p.work(run, self, c); work != nil {
			running.Go(func() { p.lead(run, self, work) })
		}
		running.Wait()
		<-run.Done() // where none are switched on
		stop()
	}
}

// work is what only one of the servers of a store does: its controllers, and its simulated nodes. It is nil if there is
// nothing to do. Where no nodes are wanted, those of before are removed.
func (p *Program) work(ctx context.Context, self loopback.Server, c Config) func(context.Context) {
	before, err := p.cache.Any(ctx, "nodes", "")
	if err != nil && ctx.Err() == nil {
		p.logger.Error("look for simulated nodes of before", "error", err)
	}
	if !c.Controllers.Any(c.Nodes > 0) && c.Nodes == 0 && !before {
		return nil
	}
	return func(ctx context.Context) {
		var running sync.WaitGroup
		if c.Controllers.Any(c.Nodes > 0) {
			o := controllers.Options{List: c.Controllers, Nodes: c.Nodes > 0, Switch: &p.pauses, Log: p.logger}
			running.Go(func() { controllers.Run(ctx, self, o) })
		}
		if c.Nodes > 0 || before {
			running.Go(func() {
				nodes.Run(ctx, self, nodes.Options{Count: c.Nodes, Version: server.KubernetesVersion, Log: p.logger})
			})
		}
		running.Wait()
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
