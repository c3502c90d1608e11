package sqlitestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"kubarium/server/storage"
)

var errClosed = errors.New("the store is closed")

// code returns SQLite's primary result code of an error, 0 if it is not SQLite's.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func isBusy(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_BUSY || c == sqlite3.SQLITE_LOCKED
}

// isDamage reports that SQLite has met what cannot be in a sound database.
func isDamage(err error) bool {
	c := code(err)
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}

// explain turns the driver's errors into the contract's, in one line, and says what was being done.
func explain(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case isBusy(err):
		return fmt.Errorf("%s: %w", doing, storage.ErrBusy)
	case code(err) == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w", doing, errNotDatabase)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// failure is the *storage.Failure that an error means, nil if it means none.
func failure(path string, err error) *storage.Failure {
	if f := (*storage.Failure)(nil); errors.As(err, &f) {
		return f
	}
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return full(path)
	case sqlite3.SQLITE_READONLY:
		return readOnly(path)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return ioFailure(path, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return &storage.Failure{Err: storage.ErrDamaged, Text: fmt.Sprintf(
			"the database file %s is damaged: nothing more is written to it; stop Kubarium and run \"kubarium check --db %s\"", path, path)}
	}
	return nil
}

func full(path string) *storage.Failure {
	return &storage.Failure{Err: storage.ErrFull, Text: fmt.Sprintf(
		"there is no space left for the database %s: nothing is written until there is", path)}
}

func readOnly(path string) *storage.Failure {
	return &storage.Failure{Err: storage.ErrReadOnly, Text: fmt.Sprintf(
		"the database %s is on a read-only file system, or the file is read-only: nothing is written until that ends", path)}
}

// ioFailure asks the file system for the reason, which SQLite does not report.
func ioFailure(path string, err error) *storage.Failure {
	switch reason := proveSpace(filepath.Dir(path)); {
	case isFull(reason):
		return full(path)
	case isReadOnly(reason):
		return readOnly(path)
	}
	for _, kind := range fileKinds {
		if !writable(path + kind.suffix) {
			return readOnly(path)
		}
	}
	return &storage.Failure{Err: storage.ErrIO, Text: oneLine(fmt.Sprintf("the database %s cannot be read or written: %v", path, err))}
}

// proveSpace proves that a file of some 64 KiB can be written in a folder.
func proveSpace(dir string) error {
	f, err := os.CreateTemp(dir, ".kubarium-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 64<<10))
	return join(err, f.Close())
}

// joined are errors in one line.
type joined []error

func (j joined) Unwrap() []error { return j }

func (j joined) Error() string {
	texts := make([]string, len(j))
	for i, err := range j {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// join is errors.Join in one line: such an error goes to clients, and into the log.
func join(errs ...error) error {
	var all joined
	for _, err := range errs {
		if err != nil {
			all = append(all, err)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// oneLine is a text without line breaks.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
}

var (
	// ErrInUse: another process has the database.
	ErrInUse       = errors.New("the database is in use by another Kubarium")
	errNotDatabase = errors.New("not a Kubarium database")
)

// within refuses a revision outside of what can be read.
func within(at, newest, readable storage.Revision) error {
	if at > newest {
		return &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: newest}
	}
	if at < readable {
		return &storage.RevisionError{Err: storage.ErrExpired, Asked: at, Current: readable}
	}
	return nil
}

// The files of a database by what follows its name, and what a person calls them.
var fileKinds = []struct{ suffix, what string }{
	{"", "the database file"}, {"-wal", "the write-ahead log"}, {"-shm", "the index of the write-ahead log"}, {".lock", "the lock file"},
}
