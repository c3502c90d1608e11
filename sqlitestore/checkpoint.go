package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"

	"kubarium/server/storage"
)

// What SQLite writes ahead has to be copied into the database file now and then. Done in COMMIT, as SQLite does it by
// itself, that holds up every writer for a tenth of a second. So another connection copies the bulk while the writer
// goes on, and the writer copies the little that came meanwhile between two batches: nobody writes then, so that the
// log begins anew. Should all that ever fall behind, SQLite's own checkpoint in COMMIT is still there.
const (
	checkpointAfter = 16 << 20 // bytes written ahead, as the writer guesses, until the next checkpoint
	autoCheckpoint  = 12_000   // pages (of 4 KiB) written ahead at which COMMIT does it
	bulkPasses      = 2        // the second finds what came during the first
)

// A checkpointer copies on a connection of its own.
type checkpointer struct {
	db   *sql.DB
	file *os.File      // the database file; closed last of all, since any closing of it drops this process's locks
	sync bool          // whether the file must be on the disk before the log begins anew
	poke chan struct{} // there is enough to copy
	done chan struct{} // closed when it has ended
}

func openCheckpointer(path, sync string) (*checkpointer, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(path, "rw",
		"busy_timeout(0)", "query_only(ON)", "synchronous("+strings.ToUpper(sync)+")", "cache_size(-64)"))
	if err != nil {
		file.Close()
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &checkpointer{db: db, file: file, sync: sync != "off", poke: make(chan struct{}, 1), done: make(chan struct{})}, nil
}

// copyBulk copies all that has been written ahead and that no reader stands before. The writer is not held up: it would
// be by the sync that the copy needs in the end, so most of that is done here too.
func (c *checkpointer) copyBulk(ctx context.Context) error {
	for range bulkPasses {
		if _, err := c.db.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
			return err
		}
		if !c.sync {
			continue
		}
		if err := c.file.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint copies whenever the writer says so, until the store is closed.
func (s *Store) checkpoint() {
	c := s.checkpoints
	defer close(c.done)
	rest := func() {
		if err := s.writer.drainRows("PRAGMA wal_checkpoint(PASSIVE)"); err != nil && !isBusy(err) {
			s.Logger.Error("checkpoint", "error", err)
		}
	}
	for {
		select {
		case <-c.poke:
		case <-s.closing:
			return
		}
		if err := c.copyBulk(context.Background()); err != nil && !isBusy(err) {
			s.Logger.Error("checkpoint", "error", fmt.Errorf("copy: %w", err))
		}
		select {
		case s.control <- rest:
		case <-s.closing:
			return
		}
	}
}

// wroteAhead counts what a batch has made longer, roughly: a value is in both tables, and a change touches some pages
// of their indexes, which the changes of a batch often share.
func (s *Store) wroteAhead(changes []storage.Change) {
	const batch, change = 32 << 10, 1 << 10
	w := &s.writer
	w.ahead += batch
	for _, c := range changes {
		w.ahead += change + 2*len(c.Value)
	}
	if w.ahead < checkpointAfter {
		return
	}
	w.ahead = 0
	select {
	case s.checkpoints.poke <- struct{}{}:
	default: // it has not come to the last poke yet
	}
}

// close ends the connection; the store's goroutines have ended.
func (c *checkpointer) close() error { return c.db.Close() }
