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
	// ErrConflict: the object is at another revision than the write expected.
	ErrConflict = errors.New("conflict")
	// ErrNotEmpty: a write that required a prefix to be empty met an object below it.
	ErrNotEmpty = errors.New("not empty")
	// ErrExpired: the revision has been compacted.
	ErrExpired = errors.New("expired")
	// ErrTooLarge: the revision lies above the newest one.
	ErrTooLarge = errors.New("too large resource version")
	// ErrBusy: the database was locked from outside for longer than a write waits.
	ErrBusy = errors.New("database is locked by another process")
)

// A KeyError is one of ErrNotFound, ErrExists, ErrConflict and ErrNotEmpty for one key.
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
