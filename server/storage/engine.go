package storage

import (
	"context"
	"time"
)

// An Engine is a Store that a whole server runs on. It has its own past in addition to the objects: for recordings,
// for forks, and for reading.
type Engine interface {
	Store

	// Healthy returns a *Failure that says why the store cannot write, or cannot be relied on; nil if all is well. It
	// does not try anything: the store notices while it works.
	Healthy() error

	// ReadHistory reads the state at a revision and all changes after it, as of one moment. at is 0 for the newest
	// revision, so that no change follows, and -1 for the oldest that can be read. begin is called first; then state
	// with each change that made an object what it was, then change with each later one, in the order of revisions,
	// without Before. If change is nil, later changes are not reported. An error of theirs ends it. Errors: Expired,
	// TooLarge.
	ReadHistory(ctx context.Context, at Revision, begin func(Span) error, state, change func(Change) error) error

	// RevisionAt returns the newest revision that there was at a time. Where the store does not know that far back,
	// it is the oldest one that it knows of, or 0.
	RevisionAt(ctx context.Context, t time.Time) (Revision, error)

	// Log returns changes of the log as the store still has it, newest first. Of changes at or below the compaction
	// revision, only those that made objects what they are may be returned.
	Log(ctx context.Context, o LogOptions) ([]Logged, error)

	// Rewrite makes any bytes the value of an object, as another process would and past all checks, and returns the
	// revision of that change, which comes to the follower as one from Outside. Where the object has the value
	// already nothing is changed, and the revision is the one that it had. Errors: NotFound.
	Rewrite(ctx context.Context, k Key, value []byte) (Revision, error)
}

// A Span is what ReadHistory read: the state of From, and the changes after it up to Newest.
type Span struct{ From, Newest Revision }

// LogOptions say which changes Log returns.
type LogOptions struct {
	Before      Revision // none that is newer; 0 means no limit
	Limit       int      // most changes; 0 means no limit
	Key         Key      // of this object alone, if Resource is set
	Terminating bool     // those alone that are Terminating
	// Revision, if not 0, asks for this change, however old, with the object before and after it; nothing else counts
	// then.
	Revision Revision
}

// A Logged is a change as Log returns it: without Value and Before, unless it was asked for by its revision.
type Logged struct {
	Change
	Bytes       int64 // of the object after it
	Terminating bool  // the object is so still, and has a deletionTimestamp; unset for a change that was asked for by its revision
}
