package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"kubarium/server/storage"
)

// Compaction sets a boundary at once and removes rows later. A row goes when a later one not above the boundary
// replaced it, or when it is a deletion. So each row that the boundary has passed names what can go: the row of its
// key before it, and itself if it is a deletion. swept is how far that was done.
//
// A row stays that was the newest of its key at the revision of a snapshot; and while a version stays, so does the
// deletion after it, or the object would seem to exist. When a snapshot goes, swept goes back to it: each row that
// stayed for its sake has its next row after it.
const (
	sqlCompact  = `UPDATE store SET compacted = max(compacted, ?1), readable = max(readable, ?2)`
	sqlSweepTo  = `SELECT ifnull(max(revision), ?2) FROM (SELECT revision FROM changes WHERE revision > ?1 AND revision <= ?2 ORDER BY revision LIMIT ?3)`
	sqlSweepOld = `DELETE FROM changes WHERE revision IN (
	SELECT old FROM (SELECT n.revision AS new, (SELECT max(p.revision) FROM changes AS p INDEXED BY changes_by_key
		WHERE p.resource = n.resource AND p.key = n.key AND p.revision < n.revision) AS old
		FROM changes AS n WHERE n.revision > ? AND n.revision <= ?)
	WHERE NOT EXISTS (SELECT 1 FROM snapshots AS s WHERE s.revision >= old AND s.revision < new))`
	sqlSweepDeleted = `DELETE FROM changes WHERE type = 'D' AND revision > ? AND revision <= ?
	AND NOT EXISTS (SELECT 1 FROM changes AS o INDEXED BY changes_by_key
		WHERE o.resource = changes.resource AND o.key = changes.key AND o.revision < changes.revision AND o.type <> 'D')`
	sqlSwept = `UPDATE store SET swept = ?`
)

// freePages is how many pages (of 4 KiB) stay free in the file for what comes; more are given back.
const freePages = 2048

// Compact implements storage.Store.
func (s *Store) Compact(ctx context.Context, at storage.Revision) error {
	if err := s.unwritable(); err != nil {
		return err
	}
	return s.compactError(s.inTurn(ctx, func() error { return s.compact(at) }))
}

// inTurn has the writer do something between two batches, and tries again while another program holds the lock.
func (s *Store) inTurn(ctx context.Context, do func() error) error {
	result := make(chan error, 1)
	begun := time.Now()
	try := func() { result <- do() }
	for {
		select {
		case s.control <- try:
		case <-s.closing:
			return errClosed
		case <-ctx.Done():
			return ctx.Err()
		}
		err := <-result
		if !isBusy(err) || time.Since(begun) > s.busyAfter {
			return err
		}
	}
}

func (s *Store) compactError(err error) error {
	var revision *storage.RevisionError
	if errors.As(err, &revision) {
		return err
	}
	return s.explain("compact", err)
}

// compact moves the boundary, in the writer's goroutine.
func (s *Store) compact(at storage.Revision) error {
	var readable storage.Revision
	err := s.transaction(func() (err error) {
		readable, err = s.moveBoundary(at)
		return err
	})
	if err == nil {
		s.compactedTo(readable)
	}
	return err
}

// compactedTo notes where the boundary is now.
func (s *Store) compactedTo(readable storage.Revision) {
	s.writer.readable, s.writer.sweeping = readable, true
	s.compacted.Store(int64(readable))
	if s.Compacted != nil {
		s.Compacted(readable)
	}
}

// transaction does something in an immediate transaction, in the writer's goroutine: all of it or, after an error,
// nothing.
func (s *Store) transaction(do func() error) error {
	w := &s.writer
	if err := s.unwritable(); err != nil {
		return err
	}
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do()
	if err == nil {
		err = w.exec("COMMIT")
	}
	if err != nil {
		w.rollback()
	}
	return err
}

func (s *Store) moveBoundary(at storage.Revision) (readable storage.Revision, err error) {
	if err := s.catchUp(); err != nil {
		return 0, err
	}
	head := s.writer.last
	if at > head {
		return 0, &storage.RevisionError{Err: storage.ErrTooLarge, Asked: at, Current: head}
	}
	if readable = at; at > 0 && at < head {
		readable = at + 1
	}
	if _, err := s.writer.compact.Exec(at, readable); err != nil {
		return 0, err
	}
	return max(readable, s.writer.readable), nil
}

// tidy removes one slice of old rows or free pages. A failure is tried again at the next turn. It lets the copying of
// what is written ahead go first, so that no COMMIT has to do that. It reports whether it did something.
func (s *Store) tidy() bool {
	w := &s.writer
	if w.wroteAhead(); w.ahead >= checkpointAfter {
		s.pokeCheckpoint()
		return false
	}
	var err error
	switch {
	case w.sweeping:
		err = s.unsynced(w.sweep)
		s.report("removing old revisions", err)
	case w.shrinking:
		err = s.unsynced(w.shrink)
		s.report("giving free pages back", err)
	default:
		return false
	}
	return err == nil
}

// unsynced does something without waiting until it is on the disk: the next batch syncs it, and until then its loss
// does no harm.
func (s *Store) unsynced(do func() error) error {
	if s.Sync != "full" {
		return do()
	}
	if err := s.writer.exec("PRAGMA synchronous = NORMAL"); err != nil {
		return err
	}
	return join(do(), s.writer.exec("PRAGMA synchronous = FULL"))
}

// sweep removes one slice of old rows.
func (w *writer) sweep() error {
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	begun := time.Now()
	err := w.sweepSlice()
	if err == nil {
		err = w.exec("COMMIT")
	}
	w.rows.took(time.Since(begun))
	if err != nil {
		w.rollback()
		w.sweeping = true
	}
	return err
}

func (w *writer) sweepSlice() error {
	var head, compacted, readable, swept, upTo storage.Revision
	if err := w.state.QueryRow().Scan(&head, &compacted, &readable, &swept); err != nil {
		return err
	}
	if err := w.sweepTo.QueryRow(swept, compacted, w.rows).Scan(&upTo); err != nil {
		return err
	}
	for _, stmt := range []*sql.Stmt{w.sweepOld, w.sweepDeleted} {
		if _, err := stmt.Exec(swept, upTo); err != nil {
			return err
		}
	}
	w.sweeping = upTo < compacted
	_, err := w.swept.Exec(upTo)
	return err
}

// maintainEvery is the time between looks at what has become too old.
func (s *Store) maintainEvery() time.Duration {
	if s.History == 0 {
		return 30 * time.Second
	}
	return min(max(s.History/10, 20*time.Millisecond), 30*time.Second)
}

// maintain compacts what is older than the history, and keeps the files small. A busy database is tried again at the
// next tick.
func (s *Store) maintain() {
	err := s.forget()
	if err == nil && !s.writer.sweeping {
		err = s.writer.lookForFree()
	}
	if info, e := os.Stat(s.Path + "-wal"); e == nil && info.Size() >= maxWAL {
		s.pokeCheckpoint() // which empties it
	}
	s.report("maintaining the database", err)
}

// lookForFree sees whether pages are to be given back.
func (w *writer) lookForFree() error {
	free, err := w.freePages()
	w.shrinking = free > freePages
	return err
}

func (w *writer) freePages() (free int, err error) {
	err = w.conn.QueryRowContext(context.Background(), "PRAGMA freelist_count").Scan(&free)
	return free, err
}

// shrink gives one slice of free pages back. It ends where SQLite gives none, as in a file that others have made.
func (w *writer) shrink() error {
	before, err := w.freePages()
	if err != nil {
		return err
	}
	begun := time.Now()
	err = w.drainRows(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", w.pages))
	w.pages.took(time.Since(begun))
	if err != nil {
		return err
	}
	after, err := w.freePages()
	w.shrinking = after > freePages && after < before
	return err
}

// forget compacts up to the revision that was the newest when the history's window began; that one stays readable,
// because it could be read inside the window.
func (s *Store) forget() error {
	if s.History == 0 {
		return nil
	}
	began, err := s.windowBegan()
	if err != nil {
		return err
	}
	if at := began - 1; at > 0 && at >= s.writer.readable {
		return s.compact(at)
	}
	return nil
}
