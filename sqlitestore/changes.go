package sqlitestore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"kubarium/server/storage"
)

// sqlChanges reads the log after a revision, with the versions that the changes met.
const sqlChanges = `SELECT c.revision, c.type, c.resource, c.key, c.value, c.before_revision, b.value, c.at, c.outside
FROM changes AS c LEFT JOIN changes AS b ON b.revision = c.before_revision
WHERE c.revision > ?1 AND (?2 = '' OR c.resource = ?2) ORDER BY c.revision LIMIT ?3`

// sliceOfChanges is how many outside changes the follower gets at once, so that one statement over a whole table does
// not take the memory for all of it.
const sliceOfChanges = 1000

// scanChanges reads the rows of sqlChanges.
func scanChanges(found *sql.Rows, err error) ([]storage.Change, error) {
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var changes []storage.Change
	for found.Next() {
		var c storage.Change
		var kind string
		var at int64
		err := found.Scan(&c.Revision, &kind, &c.Key.Resource, &c.Key.Name, &c.Value, &c.BeforeRevision, &c.Before, &at, &c.Outside)
		if err != nil {
			return nil, err
		}
		if kind == "" {
			return nil, fmt.Errorf("change %d has no type", c.Revision)
		}
		c.Type, c.At = storage.ChangeType(kind[0]), time.UnixMilli(at)
		changes = append(changes, c)
	}
	return changes, found.Err()
}

// Changes implements storage.Store.
func (s *Store) Changes(ctx context.Context, resource string, after storage.Revision, limit int) ([]storage.Change, error) {
	if err := s.unreadable(); err != nil {
		return nil, err
	}
	t := startTrace(ctx)
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, s.failed(ctx, "read changes", err)
	}
	defer tx.Rollback() // it has nothing to commit
	var newest, compacted storage.Revision
	if err := tx.QueryRowContext(ctx, "SELECT revision, compacted FROM store").Scan(&newest, &compacted); err != nil {
		return nil, s.failed(ctx, "read changes", err)
	}
	if err := within(after, newest, compacted); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = -1
	}
	start := t.start()
	changes, err := scanChanges(tx.Stmt(s.reads.changes).QueryContext(ctx, after, resource, limit))
	t.add(start, sqlChanges, len(changes), after, resource, limit)
	return changes, s.failed(ctx, "read changes", err)
}

// Follow implements storage.Store.
func (s *Store) Follow(fn func(storage.Batch)) (storage.Revision, error) {
	select {
	case <-s.closing:
		return 0, errClosed
	default:
	}
	s.followMu.Lock()
	defer s.followMu.Unlock()
	if s.follower != nil {
		panic("sqlitestore: a second Follow")
	}
	s.follower = fn
	return storage.Revision(s.newest.Load()), nil
}

// deliver hands what was committed to the follower.
func (s *Store) deliver(b storage.Batch) {
	s.followMu.Lock()
	defer s.followMu.Unlock()
	if n := len(b.Changes); n > 0 {
		s.writer.last = b.Changes[n-1].Revision
		s.remember()
	}
	b.Head = max(s.writer.last, b.Restored)
	if s.follower != nil {
		s.follower(b)
	}
	s.newest.Store(int64(s.writer.last))
}

// catchUp delivers what others have committed since the last look. In the writer's own transaction it comes before
// every write of its own, so that the follower sees strictly growing revisions.
func (s *Store) catchUp() error {
	for {
		var head storage.Revision
		if err := s.writer.newestRevision.QueryRow().Scan(&head); err != nil || head <= s.writer.last {
			return err
		}
		changes, err := scanChanges(s.writer.changesAfter.Query(s.writer.last, "", sliceOfChanges))
		if err != nil || len(changes) == 0 {
			return err
		}
		s.deliver(storage.Batch{Changes: changes})
	}
}

// poll looks for changes from outside. data_version changes on the writer's connection when, and only when, another
// connection has committed.
func (s *Store) poll() {
	if s.untouched() {
		return
	}
	var version int64
	err := s.writer.dataVersion.QueryRow().Scan(&version)
	if err == nil && version != s.writer.version {
		if err = s.catchUp(); err == nil {
			s.writer.version = version
		}
	}
	if err != nil {
		s.writer.header = walHeader{} // the next look must not trust this one
	}
	s.report("looking for changes from outside", err)
}

// A walHeader is the header of the index of the write-ahead log, which each commit changes ("WAL-Index File Format").
type walHeader [48]byte

// trusted is how many looks in a row may believe the header alone.
const trusted = 8

// untouched reports that no other connection has committed since the last look. To read the header costs a small part
// of asking SQLite, which is asked now and then all the same: on some systems a file and its mapping differ.
func (s *Store) untouched() bool {
	w := &s.writer
	var now walHeader
	if _, err := s.files.shm.ReadAt(now[:], 0); err != nil {
		return false
	}
	same := now == w.header && w.unasked < trusted
	w.header = now
	w.unasked++
	if !same {
		w.unasked = 0
	}
	return same
}
