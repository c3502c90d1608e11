package storage

import (
	"context"
	"fmt"
	"time"
)

// A Snapshot is a state that one can go back to: all objects as they were at one revision.
type Snapshot struct {
	Name     string
	Revision Revision
	At       time.Time // when it was saved, to the millisecond
}

// A SaveMode says what becomes of a snapshot that has the name already.
type SaveMode byte

const (
	SaveNew SaveMode = iota // it stays, and the new one is refused
	Replace                 // the new one takes its place
)

// A Restoration is what a Restore has done.
type Restoration struct {
	Snapshot                           // that the store went back to
	Head                      Revision // the newest revision after it
	Created, Updated, Deleted int      // objects
}

// Snapshots are the states that a store can go back to. They outlive the process. Names may be any text but "". Methods
// are safe for concurrent use, with each other and with those of Store, and fail as those do.
type Snapshots interface {
	// SaveSnapshot keeps the state as it is, all that was acknowledged before included, and returns when that is
	// durable. What it costs does not grow with the number of objects. From then on Compact removes nothing that the
	// snapshot needs; it makes its revision unreadable all the same. Errors: a *SnapshotError of ErrExists, unless
	// how is Replace.
	SaveSnapshot(ctx context.Context, name string, how SaveMode) (Snapshot, error)

	// Snapshots returns all snapshots, oldest revision first, and those of one revision by their names.
	Snapshots(ctx context.Context) ([]Snapshot, error)

	// DeleteSnapshot forgets a snapshot; revisions that are no longer needed are removed later, in slices. Errors: a
	// *SnapshotError of ErrNotFound.
	DeleteSnapshot(ctx context.Context, name string) error

	// Restore makes all objects what they were at a snapshot. It is one transaction: a read sees the state before it
	// or the state after it, and a process that ends during it leaves one of the two. Each object that differs is
	// changed, with a revision above all others and a row in the change log; the others keep theirs. Then everything
	// before is compacted, at Head. The follower gets the changes as one Batch with Restored, also when nothing
	// differed. Snapshots stay, this one too.
	//
	// A Write that names in Since what was the newest revision before that batch fails with ErrRestored from then on.
	// Errors: a *SnapshotError of ErrNotFound, and Busy as of Write.
	Restore(ctx context.Context, name string) (Restoration, error)
}

// A SnapshotError is ErrNotFound or ErrExists for one snapshot.
type SnapshotError struct {
	Err  error
	Name string
}

func (e *SnapshotError) Error() string { return fmt.Sprintf("snapshot %q: %v", e.Name, e.Err) }
func (e *SnapshotError) Unwrap() error { return e.Err }
