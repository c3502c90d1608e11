package sqlitestore

import (
	"context"
	"database/sql"

	"kubarium/server/storage"
)

// A writer is what the writer's goroutine alone uses: its prepared statements, and the state of the file.
type writer struct {
	conn         *sql.Conn
	last         storage.Revision // the follower has had everything up to here
	within       storage.Record   // key and revision of what was found in the transaction under way, and is there still
	next         storage.Revision // which the next change of the transaction under way is given
	readable     storage.Revision
	restored     storage.Revision // the newest one when the store was last restored in this run; 0 if it never was
	version      int64            // the data_version at the last look
	header       walHeader        // of the write-ahead log's index at the last look
	unasked      int              // looks since that which asked SQLite
	batches      uint64           // transactions of this run
	samples      []sample         // the newest revision at times of this run, oldest first
	detached     bool             // whether the files are known to be no longer the store's
	settled      bool             // whether, then, nothing is left to be done about them
	sweeping     bool             // whether compacted rows wait for their removal
	rows         slice            // how many rows of the log are looked at at once then
	shrinking    bool             // whether free pages wait to be given back
	pages        slice            // how many are given back at once then
	width        int              // how many writes the last batch held
	ahead        int              // pages written ahead since the last checkpoint
	poked        bool             // whether the next one has been asked for
	pagesWritten int              // ahead, in this run

	begin, commit, markAt, unmarkAt *prepared
	create, update, remove          *prepared

	dataVersion, state, mark, unmark, current, exists *sql.Stmt
	changesAfter, compact, sweepTo, sweepOld          *sql.Stmt
	sweepDeleted, swept, firstSince, newestRevision   *sql.Stmt
	removeNew, updateChanged, createDeleted           *sql.Stmt

	closers []func() error // of all statements
}

// The statements that mark whose changes those of a transaction are, and take the mark away. Those of a batch say
// which the newest revision should be, and change no row where it is another one: that costs less than to read it.
const (
	sqlMark     = `UPDATE store SET writing_at = ? RETURNING revision`
	sqlUnmark   = `UPDATE store SET writing_at = NULL RETURNING revision`
	sqlMarkAt   = `UPDATE store SET writing_at = ? WHERE revision = ?`
	sqlUnmarkAt = `UPDATE store SET writing_at = NULL WHERE revision = ?`
)

// close ends the statements, which the end of a sql.Conn does not; SQLite leaves a connection open that has any.
func (w *writer) close() error {
	var errs []error
	for _, close := range w.closers {
		errs = append(errs, close())
	}
	return join(errs...)
}

func (w *writer) exec(text string) error {
	_, err := w.conn.ExecContext(context.Background(), text)
	return err
}

// rollback ends a transaction that is not to happen; SQLite may have ended it already.
func (w *writer) rollback() { _ = w.exec("ROLLBACK") }

// readStatements are compiled once for the pool; it compiles them again for each connection.
type readStatements struct {
	get, getAt, state, list, count, listAt, countAt, changes *sql.Stmt
}
