package sqlitestore

import (
	"context"
	"database/sql"
	"strings"
	"sync"

	"kubarium/server/storage"
)

// What SQLite writes ahead has to be copied into the database file now and then. Done in COMMIT, as SQLite does it by
// itself, that holds up every writer for a tenth of a second. So another connection copies the bulk while the writer
// goes on, and the writer copies the little that came meanwhile between two batches: nobody writes then, so that the
// log begins anew. When the copying falls behind, the writer waits for it; and SQLite's own checkpoint in COMMIT is
// still there.
const (
	checkpointAfter = 16 << 20            // bytes written ahead, as the writer guesses, until the next checkpoint
	checkpointNow   = 2 * checkpointAfter // until the writer waits for it
	autoCheckpoint  = 12_000              // pages (of 4 KiB) written ahead at which COMMIT does it
	bulkPasses      = 2                   // the second finds what came during the first
)

// A checkpointer copies on a connection of its own.
type checkpointer struct {
	db      *sql.DB
	files   *files
	durable bool          // whether the file must be on the disk before the log begins anew
	poke    chan struct{} // there is enough to copy
	done    chan struct{} // closed when it has ended

	copying sync.Mutex // is held while it copies
}

func openCheckpointer(f *files, synchronous string) (*checkpointer, error) {
	db, err := f.open(dsn(f.path, "rw",
		"busy_timeout(0)", "query_only(ON)", "synchronous("+strings.ToUpper(synchronous)+")", "cache_size(-64)", "data_version"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &checkpointer{db: db, files: f, durable: synchronous != "off", poke: make(chan struct{}, 1), done: make(chan struct{})}, nil
}

// copyBulk copies all that has been written ahead and that no reader stands before. The writer is not held up: it would
// be by the sync that the copy needs in the end, so most of that is done here too.
func (c *checkpointer) copyBulk(ctx context.Context) error {
	c.copying.Lock()
	defer c.copying.Unlock()
	for range bulkPasses {
		if err := c.files.look(); err != nil {
			return err
		}
		if _, err := c.db.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err != nil {
			return err
		}
		if !c.durable {
			continue
		}
		if err := c.files.database.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint copies whenever the writer says so, until the store is closed.
func (s *Store) checkpoint() {
	c := s.checkpoints
	defer close(c.done)
	for {
		select {
		case <-c.poke:
		case <-s.closing:
			return
		}
		s.report("copy what was written ahead", c.copyBulk(context.Background()))
		select {
		case s.control <- s.copyRest:
		case <-s.closing:
			return
		}
	}
}

// copyRest copies, in the writer's goroutine, what came while the bulk was copied.
func (s *Store) copyRest() {
	s.writer.ahead, s.writer.poked = 0, false
	if s.attached() {
		s.report("copy what was written ahead", s.writer.drainRows("PRAGMA wal_checkpoint(PASSIVE)"))
		s.remember()
	}
}

// wroteAhead counts what a batch has made longer, roughly: a value is in both tables, and a change touches some pages
// of them and their indexes, which the changes of a batch often share.
func (s *Store) wroteAhead(changes []storage.Change) {
	const batch, change = 16 << 10, 6 << 10
	w := &s.writer
	w.ahead += batch
	for _, c := range changes {
		w.ahead += change + 2*len(c.Value)
	}
	switch {
	case w.ahead >= checkpointNow:
		s.checkpoints.copying.Lock() // nothing can be copied beside the other connection
		s.checkpoints.copying.Unlock()
		s.copyRest()
	case w.ahead >= checkpointAfter && !w.poked:
		w.poked = true
		select {
		case s.checkpoints.poke <- struct{}{}:
		default: // it has not come to the last poke yet
		}
	}
}

// close ends the connection; the store's goroutines have ended.
func (c *checkpointer) close() error { return c.db.Close() }
