package debug

import (
	"context"

	"kubarium/analysis/chain"
	"kubarium/app/record"
	"kubarium/flow"
	"kubarium/server/storage"
)

// A Record is what of a run was recorded.
type Record interface {
	// Flows is the log of what every request did.
	Flows() *flow.Log
	// Why says what led to writes.
	Why() *chain.Follower
	// Run is the run as a recording has it; secrets says that it names secret values as they are.
	Run(secrets bool) record.Run
}

// A Program is what the handlers show and change: a whole Kubarium.
type Program interface {
	Record
	// Store keeps the objects.
	Store() storage.Engine

	Gated
	Controllers
	Snapshots
	Forks
}

// records answer for one Record.
type records struct{ Record }

// handlers answer for one Program.
type handlers struct{ Program }

// Forks are the servers that began with a state of this one.
type Forks interface {
	// Forks returns those that run, the oldest first.
	Forks() []Fork
	// Fork starts one. Errors are those of a start, of Refusal, and storage.ErrTooLarge, ErrExpired or ErrNotFound for a
	// state that cannot be read.
	Fork(ctx context.Context, asked ForkRequest) (Fork, error)
	// EndFork ends one, whose file stays unless it is temporary; storage.ErrNotFound if none has this number.
	EndFork(id int) error
}

// A Fork is one fork as /debug/fork answers.
type Fork struct {
	ID       int    `json:"id"`
	URL      string `json:"url"`
	Secure   string `json:"secure,omitempty"` // by HTTPS
	Revision int64  `json:"revision"`         // that it began with
	File     string `json:"file"`             // its database; ":memory:" for a temporary one
}

// A ForkRequest says what a fork shall be.
type ForkRequest struct {
	Revision int64  `json:"revision"` // 0 with a Snapshot, or for the newest
	Snapshot string `json:"snapshot"`
	Listen   string `json:"listen"` // address of the plain port, where the parent has one; "" picks a free one
	File     string `json:"file"`   // in the folder of the parent's database; "" picks a name
}

// Snapshots are the states that a Program can go back to. Names that cannot be, and stores that have none, are a
// Refusal.
type Snapshots interface {
	// Snapshots returns all, the oldest first.
	Snapshots(ctx context.Context) ([]storage.Snapshot, error)
	// SaveSnapshot keeps the present state under a name.
	SaveSnapshot(ctx context.Context, name string, how storage.SaveMode) (storage.Snapshot, error)
	// DeleteSnapshot forgets one; storage.ErrNotFound if there is none of this name.
	DeleteSnapshot(ctx context.Context, name string) error
	// Restore goes back to one; "" is the state after the start, which it waits for.
	Restore(ctx context.Context, name string) (storage.Restoration, error)
}
