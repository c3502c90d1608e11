package program

import (
	"context"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/server/gate"
	"kubarium/server/storage"
)

// Snapshots returns all snapshots, the oldest first.
func (p *Program) Snapshots(ctx context.Context) ([]storage.Snapshot, error) {
	return p.snapshots.all(ctx)
}

// SaveSnapshot keeps the present state under a name.
func (p *Program) SaveSnapshot(ctx context.Context, name string, how storage.SaveMode) (storage.Snapshot, error) {
	return p.snapshots.save(ctx, name, how)
}

// DeleteSnapshot forgets the snapshot of a name.
func (p *Program) DeleteSnapshot(ctx context.Context, name string) error {
	return p.snapshots.delete(ctx, name)
}

// Restore goes back to a snapshot, or with "" to the state after the start, which it waits for.
func (p *Program) Restore(ctx context.Context, name string) (storage.Restoration, error) {
	return p.snapshots.restore(ctx, name)
}

// Started is closed when the snapshot of this start is saved.
func (p *Program) Started() <-chan struct{} { return p.snapshots.started }

// SaveStart makes the present state what a reset goes back to.
func (p *Program) SaveStart(ctx context.Context) error {
	_, err := p.file.SaveSnapshot(ctx, StartSnapshot, storage.Replace)
	return err
}

// Flows is Log, for who knows a Program by an interface.
func (p *Program) Flows() *flow.Log { return p.Log }

// Why says what led to writes.
func (p *Program) Why() *chain.Follower { return p.why }

// Store keeps the objects.
func (p *Program) Store() storage.Engine { return p.store }

// CacheHead is the revision that the cache has reached.
func (p *Program) CacheHead() storage.Revision { return p.cache.Head() }

// Gate has the fault rules, and the requests that they hold.
func (p *Program) Gate() *gate.Gate { return p.gate }
