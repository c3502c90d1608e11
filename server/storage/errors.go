package storage

import (
	"errors"
	"fmt"
)

// The kinds of error that a Store returns, to be asked for with errors.Is. All other errors are internal.
var (
	// ErrNotFound: there is no object with that key.
	ErrNotFound = errors.New("not found")
	// ErrExists: a create met an object with its key.
	ErrExists = errors.New("already exists")
	// ErrConflict: the object, or the one that it is within, is at another revision than the write expected.
	ErrConflict = errors.New("conflict")
	// ErrRestored: the store went back to a snapshot after what the write was judged by had been read.
	ErrRestored = errors.New("the store went back to a snapshot meanwhile")
	// ErrExpired: the revision has been compacted.
	ErrExpired = errors.New("expired")
	// ErrTooLarge: the revision lies above the newest one.
	ErrTooLarge = errors.New("too large resource version")
	// ErrLarge: the value is larger than the store takes in one write.
	ErrLarge = errors.New("value is too large")
	// ErrBusy: the database was locked from outside for longer than a write waits.
	ErrBusy = errors.New("database is locked by another process")

	// The others come in a *Failure: the store as a whole fails, whatever was asked of it.

	// ErrFull: the disk has no space left. Reads go on, and writes do as soon as there is space.
	ErrFull = errors.New("no space left")
	// ErrReadOnly: the file system or the file takes no writes any more. Reads go on.
	ErrReadOnly = errors.New("read-only")
	// ErrIO: the operating system failed to read or to write.
	ErrIO = errors.New("input or output error")
	// ErrDamaged: the database contradicts its own format. Nothing more is written until it is opened again.
	ErrDamaged = errors.New("damaged")
	// ErrDetached: a file of the database was removed or replaced while the store had it open, or etcd's data was.
	// Nothing more is read from it or written to it until it is opened again.
	ErrDetached = errors.New("detached")
	// ErrMissed: changes were compacted before the follower had them. It gets no more, and nothing more is read or
	// written, until the store is opened again.
	ErrMissed = errors.New("changes missed")
	// ErrUnreachable: the servers that keep the objects cannot be reached, or too few of them to agree on anything. A
	// write that met it may have happened.
	ErrUnreachable = errors.New("unreachable")
)

// A Failure is one of ErrFull, ErrReadOnly, ErrIO, ErrDamaged, ErrDetached, ErrMissed and ErrUnreachable.
type Failure struct {
	Err  error
	Text string // one line for a person: what happened, to which file, and what to do
	// Answer is the text of a 500, where kube-apiserver answers that; "" where the answer is Text.
	Answer string
}

func (e *Failure) Error() string { return e.Text }
func (e *Failure) Unwrap() error { return e.Err }

// A KeyError is one of ErrNotFound, ErrExists, ErrConflict, ErrLarge and ErrRestored for one key.
type KeyError struct {
	Err    error
	Key    Key
	Stored Record // for ErrConflict: the object as it is stored; otherwise empty
}

func (e *KeyError) Error() string { return fmt.Sprintf("%s: %v", e.Key, e.Err) }
func (e *KeyError) Unwrap() error { return e.Err }

// A RevisionError is ErrExpired or ErrTooLarge for a revision that was asked for.
type RevisionError struct {
	Err     error
	Asked   Revision
	Current Revision // for ErrTooLarge the newest revision, for ErrExpired the compaction revision
}

func (e *RevisionError) Error() string {
	return fmt.Sprintf("revision %d: %v (%d)", e.Asked, e.Err, e.Current)
}
func (e *RevisionError) Unwrap() error { return e.Err }
