package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"kubarium/server/storage"
)

// errForeignLog says that SQLite would apply a log to a database that it was not made for.
var errForeignLog = errors.New("the files do not belong together")

// compare looks, before SQLite does, whether the files that are there belong together and have all that was
// acknowledged. SQLite would remove a log without a database, and copy one into whatever file has the name of its
// database.
func (s *Store) compare(ctx context.Context) error {
	n, wal := s.side.note, s.Path+"-wal"
	database, err := regular(s.Path)
	if err != nil {
		return err
	}
	ahead, err := regular(wal)
	if err != nil {
		return err
	}
	if _, err := regular(s.Path + "-shm"); err != nil {
		return err
	}
	s.begun = database == nil
	written := ahead != nil && ahead.Size() > 0
	switch {
	case written && (database == nil || database.Size() == 0):
		return fmt.Errorf("the database file is missing, but its write-ahead log %s is there and holds changes: put the file back in its place, or remove the log to begin with an empty database", wal)
	case database != nil && database.Size() == 0 && n.revision > 0:
		return fmt.Errorf("the database file is empty, but had revision %d: put the right file in its place, or remove it to begin with an empty database", n.revision)
	case database == nil || !n.known || n.state == stateEnded:
		return nil
	case written && (n.database != inode(s.Path, database) || n.wal != 0 && n.wal != inode(wal, ahead)):
		return fmt.Errorf("%w: the write-ahead log %s may belong to another file: if both were copied or moved together, remove %s.lock; if an older database was put in its place, remove the log and run \"kubarium check --db %s --accept\"", errForeignLog, wal, s.Path, s.Path)
	case written && n.stamp.known() && overwritten(s.Path, database, n.stamp):
		return fmt.Errorf("%w: the database file was overwritten by another program, and the write-ahead log %s does not belong to what it holds now: remove the log and run \"kubarium check --db %s --accept\" to go on with the file as it is", errForeignLog, wal, s.Path)
	}
	return s.compareRevision(ctx)
}

// regular looks at a file that SQLite is going to open; nil if there is none.
func regular(path string) (os.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(path)
	}
	return info, err
}

// overwritten reports that a program other than SQLite has written to a database file since the stamp was made.
func overwritten(path string, database os.FileInfo, s stamp) bool {
	if !stampable {
		return database.ModTime().Before(s.written.Add(-2 * time.Second)) // FAT drops that much
	}
	if database.ModTime().Equal(s.written) {
		return false
	}
	shm, err := os.Open(path + "-shm")
	if err != nil {
		return false
	}
	defer shm.Close()
	now, err := readCopied(shm)
	return err == nil && now == s.copied
}

// compareRevision refuses a file that has less than was acknowledged, where that cannot be intended: the store was
// killed. With less than a full sync that happens, too, when the machine fails.
func (s *Store) compareRevision(ctx context.Context) error {
	n := s.side.note
	if n.state != stateRunning || n.sync != "full" || s.Accept || n.revision == 0 {
		return nil
	}
	found, err := readRevision(ctx, s.Path)
	if err != nil || found >= n.revision { // what else is wrong is for those to say who open it
		return nil
	}
	return fmt.Errorf("changes are missing: it has revision %d, but %d was acknowledged. %s-wal was removed or cut off, or an older copy is in its place: put the right files back, or run \"kubarium check --db %s --accept\" to go on with what is there", found, n.revision, s.Path, s.Path)
}

// readRevision reads the newest revision of a database on a connection that writes nothing.
func readRevision(ctx context.Context, path string) (at storage.Revision, err error) {
	db, err := sql.Open("sqlite", dsn(path, "ro", "busy_timeout(2000)", "query_only(ON)"))
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT revision FROM store").Scan(&at)
	if code(err) == sqlite3.SQLITE_ERROR { // a file that was never copied into has no such table
		err = nil
	}
	return at, join(err, db.Close())
}

// keepPrivate makes the database file, so that it is for its owner alone, as SQLite then makes those next to it.
// Where others can read existing files, which hold Secrets, it takes that right away.
func (s *Store) keepPrivate() error {
	f, err := os.OpenFile(s.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	if !modes {
		return nil
	}
	for _, kind := range fileKinds {
		path := s.Path + kind.suffix
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil {
			s.Logger.Warn("database: others can read the file", "file", path, "error", err)
			continue
		}
		s.Logger.Warn("database: others could read the file; its mode is for its owner alone now", "file", path)
	}
	return nil
}

// goOn sees to it that no revision is given twice: when the file has less than was acknowledged, it goes on after
// that, and everything older is compacted, so that clients which know the lost revisions list again.
func (s *Store) goOn(ctx context.Context) error {
	n := s.side.note
	var found storage.Revision
	if err := s.conn.QueryRowContext(ctx, "SELECT revision FROM store").Scan(&found); err != nil {
		return err
	}
	if !n.known || found >= n.revision || s.begun {
		return nil
	}
	next := n.revision + 1
	_, err := s.conn.ExecContext(ctx, "UPDATE store SET revision = ?1, compacted = ?1, readable = ?1", next)
	if err != nil {
		return err
	}
	s.Logger.Warn("database: the file has less than was acknowledged, as an older copy has; older revisions are compacted",
		"found", found, "acknowledged", n.revision, "revision", next)
	return nil
}

// note writes down the state of the store.
func (s *Store) note(state string, at storage.Revision) error {
	n := note{
		process: os.Getpid(), state: state, sync: s.Sync, revision: at,
		database: s.files.databaseInode, wal: s.files.walInode, stamp: s.files.stamped(),
	}
	if err := s.side.write(n); err != nil {
		return fmt.Errorf("write %s: %w", s.side.Name(), err)
	}
	return nil
}

// remember writes down what is about to be acknowledged.
func (s *Store) remember() {
	if err := s.note(stateRunning, s.writer.last); err != nil {
		s.report("note what is acknowledged", err)
	}
}

// noteEnd writes down that the store has ended. Where SQLite has left something in the write-ahead log, because
// another program has the database open, that belongs to the file as it does while the store runs.
func (s *Store) noteEnd() error {
	n := s.side.note
	if n.state != stateRunning {
		return nil
	}
	if info, err := os.Lstat(s.Path + "-wal"); err == nil && info.Size() > 0 {
		return nil
	}
	n.state, n.wal = stateEnded, 0
	return s.side.write(n)
}

// attached looks at the files, in the writer's goroutine, and reports whether they are still the store's. Where that
// cannot be found out, the next look may.
func (s *Store) attached() bool {
	_ = s.stillAttached()
	return !s.writer.detached
}

// stillAttached returns a *storage.Failure unless the files are certainly the store's.
func (s *Store) stillAttached() error {
	if s.writer.detached {
		return s.unreadable()
	}
	err := s.files.look()
	if err == nil {
		return nil
	}
	f := failure(s.Path, err)
	s.fail(f)
	if errors.Is(f, storage.ErrDetached) {
		s.writer.detached = true
		s.abandon()
	}
	return f
}

// abandon makes the files safe that are no longer the store's, in the writer's goroutine, until it has succeeded.
// What was written ahead is copied into the database file that the store has open, which then is whole under any
// name, and the log is emptied, so that it cannot be applied to another file.
func (s *Store) abandon() {
	w := &s.writer
	if w.settled {
		return
	}
	// SQLite would remove log and index by their names at the end, whosesoever they are.
	err := s.conn.Raw(func(c any) error {
		_, err := c.(sqlite.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
	if err == nil {
		err = s.empty()
	}
	if err != nil {
		s.say("detached", oneLine("copy what was written ahead: "+err.Error()))
		return
	}
	w.settled = true
	if err := s.note(stateDetached, w.last); err != nil {
		s.report("note the end", err)
	}
}

// empty empties the write-ahead log that the store has open. It must not be mixed with a database file that was
// overwritten.
func (s *Store) empty() error {
	if s.files.overwritten() {
		return s.files.wal.Truncate(0)
	}
	s.checkpoints.copying.Lock()
	defer s.checkpoints.copying.Unlock()
	var busy, pages, copied int
	err := s.writer.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied)
	if err == nil && busy != 0 {
		err = errors.New("another program reads the database")
	}
	return err
}
