package sqlitestore

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// What SQLite writes ahead has to be copied into the database file now and then. Done in COMMIT, as SQLite does it by
// itself, that holds up every writer for a tenth of a second. So another connection copies the bulk while the writer
// goes on, and the writer copies the little that came during that between two batches: nothing is written then, so
// that the log starts over. When the copying lags, the writer waits for it; and SQLite's own checkpoint in COMMIT is
// still there.
const (
	checkpointAfter = 4096                // pages (of 4 KiB) written ahead until the next checkpoint
	checkpointNow   = 2 * checkpointAfter // until the writer waits for it
	autoCheckpoint  = 12_000              // at which COMMIT does it
	bulkPasses      = 2                   // the second finds what came during the first
)

// A checkpointer copies on a connection of its own.
type checkpointer struct {
	db      *sql.DB
	files   *files
	durable bool          // whether the file must be on the disk before the log starts over
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

// copyBulk copies all that has been written ahead, up to the oldest reader. The writer is not held up: the sync at
// the end would do that, so most of it is done here too.
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
		s.report("copy what was written ahead", s.writer.copyRest(s.Path))
		s.remember()
	}
}

// copyRest copies what is left to be copied. A log that has grown is emptied with it, without waiting for readers.
func (w *writer) copyRest(path string) error {
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() < maxWAL {
		return w.drainRows("PRAGMA wal_checkpoint(PASSIVE)")
	}
	if err := w.exec("PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	return join(w.drainRows("PRAGMA wal_checkpoint(TRUNCATE)"), w.exec(busyTimeout(beginWait)))
}

// wroteAhead counts the pages that the writer has written ahead since the last count.
func (w *writer) wroteAhead() {
	_ = w.conn.Raw(func(c any) error {
		n, _, err := c.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
		w.ahead, w.pagesWritten = w.ahead+n, w.pagesWritten+n
		return err
	})
}

// copyInTime sees to it, after a batch, that what is written ahead is copied before it is too much.
func (s *Store) copyInTime() {
	w := &s.writer
	w.wroteAhead()
	switch {
	case w.ahead >= checkpointNow:
		s.checkpoints.copying.Lock() // only one connection can copy at a time
		s.checkpoints.copying.Unlock()
		s.copyRest()
	case w.ahead >= checkpointAfter:
		s.pokeCheckpoint()
	}
}

// pokeCheckpoint has what was written ahead copied soon.
func (s *Store) pokeCheckpoint() {
	if s.writer.poked {
		return
	}
	s.writer.poked = true
	select {
	case s.checkpoints.poke <- struct{}{}:
	default: // it has not come to the last poke yet
	}
}

// close ends the connection; the store's goroutines have ended.
func (c *checkpointer) close() error { return c.db.Close() }

// maxWAL is the size in bytes above which the write-ahead log is emptied in a quiet moment.
const maxWAL = 32 << 20

// drainRows runs a pragma that does its work row by row.
func (w *writer) drainRows(text string) error {
	found, err := w.conn.QueryContext(context.Background(), text)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
	}
	return found.Err()
}
