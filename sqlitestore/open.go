package sqlitestore

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// Open opens the database file and makes it when there is none. It refuses, and leaves everything as it was, when the
// file belongs to another Kubarium process, was written by a newer version, or is not Kubarium's; the error is one line
// that says so. A file of an older version is brought up to date.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{Options: o, busyAfter: busyAfter, queue: make(chan *request, maxBatch), control: make(chan func()),
		closing: make(chan struct{}), done: make(chan struct{})}
	if err := s.complete(); err != nil {
		return nil, fmt.Errorf("open database %s: %w", o.Path, err)
	}
	if err := s.open(ctx); err != nil {
		if f := failure(s.Path, err); f != nil && code(err) != sqlite3.SQLITE_NOTADB {
			err = f
		}
		return nil, join(explain("open database "+o.Path, err), s.release())
	}
	go s.run()
	go s.checkpoint()
	return s, nil
}

// complete fills in what Options leave out.
func (s *Store) complete() error {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Elapsed == nil {
		begun := time.Now()
		s.Elapsed = func() time.Duration { return time.Since(begun) }
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.Path == ":memory:" {
		sweep(os.TempDir())
		dir, err := os.MkdirTemp("", temporary)
		if err != nil {
			return err
		}
		s.dir, s.Path, s.Sync = dir, filepath.Join(dir, "kubarium.db"), "off"
	}
	switch s.Sync {
	case "":
		s.Sync = "full"
	case "full", "normal", "off":
	default:
		return fmt.Errorf("sync is %q, but can be full, normal or off", s.Sync)
	}
	return nil
}

func (s *Store) open(ctx context.Context) error {
	path, err := resolve(s.Path)
	if err != nil {
		return err
	}
	if err := inspect(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	s.Path = path
	if s.side, err = lockFile(path + ".lock"); err != nil {
		return err
	}
	if err := inspect(path); err != nil { // now no other Kubarium can change the answer
		return err
	}
	if err := proveFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := s.compare(ctx); err != nil {
		return err
	}
	if s.Begin != nil && !s.begun {
		return fmt.Errorf("%w; say another name", ErrIsThere)
	}
	id := applicationID
	if s.Begin != nil {
		id, err = fillingID, s.makeFilling(ctx)
	} else {
		err = s.keepPrivate()
	}
	if err != nil {
		return err
	}
	if s.db, s.conn, err = openWriter(ctx, path, s.Sync, id); err != nil {
		return err
	}
	if err := s.beginWith(ctx); err != nil {
		return err
	}
	if err := s.goOn(ctx); err != nil {
		return err
	}
	if err := s.writer.prepare(ctx, s.conn); err != nil {
		return err
	}
	// A killed process may have left changes in the log, and the index does not say how much of them was copied. A
	// full disk or a reader may prevent the copy, which does no harm.
	_ = s.writer.drainRows("PRAGMA wal_checkpoint(PASSIVE)")
	s.newest.Store(int64(s.writer.last))
	s.compacted.Store(int64(s.writer.readable))
	s.writer.samples = []sample{{s.writer.last, s.Elapsed()}}
	s.opened = s.Now()
	if s.files, err = openFiles(path); err != nil {
		return err
	}
	if err := s.note(stateRunning, s.writer.last); err != nil {
		return err
	}
	if s.readers, err = openReaders(s.files, maxReaders); err != nil {
		return err
	}
	if s.checkpoints, err = openCheckpointer(s.files, s.Sync); err != nil {
		return err
	}
	return s.reads.prepare(ctx, s.readers)
}

// Close implements storage.Store. A second Close returns what the first did.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		close(s.closing)
		<-s.done
		<-s.checkpoints.done
		s.closeErr = explain("close database", join(s.settle(), s.release()))
	})
	return s.closeErr
}

// settle brings everything into the database file itself, so that a copy of this one file is whole. Another program
// that reads or writes just then prevents that, and nothing is lost by it.
func (s *Store) settle() error {
	if !s.attached() {
		s.abandon()
		return s.unreadable()
	}
	if err := s.writer.drainRows("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil && !isBusy(err) {
		return s.explain("close", err)
	}
	return nil
}

// release gives back whatever open had taken.
func (s *Store) release() error {
	var errs []error
	opened := s.files != nil
	if s.checkpoints != nil {
		errs = append(errs, s.checkpoints.close())
	}
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	if s.db != nil {
		errs = append(errs, s.writer.close(), s.conn.Close(), s.db.Close())
	}
	if s.files != nil {
		errs = append(errs, s.files.close())
	}
	if s.side != nil {
		if opened {
			errs = append(errs, s.noteEnd())
		}
		errs = append(errs, s.side.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return join(errs...)
}
