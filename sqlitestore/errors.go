package sqlitestore

import (
	"errors"
	"fmt"

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

// explain turns the driver's errors into the contract's, and says what was being done.
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
