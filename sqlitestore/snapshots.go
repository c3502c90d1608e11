package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"kubarium/server/storage"
)

var _ storage.Snapshots = (*Store)(nil)

// A snapshot is a row with a revision: saving copies nothing, since what the objects were then is in the log already.
// See compact.go for how it stays there.
const (
	sqlSnapshots      = `SELECT name, revision, at FROM snapshots ORDER BY revision, name`
	sqlSnapshot       = `SELECT revision, at FROM snapshots WHERE name = ?`
	sqlSaveSnapshot   = `INSERT INTO snapshots (name, revision, at) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET revision = excluded.revision, at = excluded.at`
	sqlDeleteSnapshot = `DELETE FROM snapshots WHERE name = ?`
	sqlSweepAgain     = `UPDATE store SET swept = min(swept, ?)`
)

// SaveSnapshot implements storage.Snapshots.
func (s *Store) SaveSnapshot(ctx context.Context, name string, how storage.SaveMode) (saved storage.Snapshot, err error) {
	if name == "" {
		return saved, errors.New("save snapshot: it has no name")
	}
	err = s.changeSnapshots(ctx, "save snapshot", func() error {
		old, err := s.snapshot(name)
		switch {
		case err == nil && how != storage.Replace:
			return &storage.SnapshotError{Err: storage.ErrExists, Name: name}
		case err != nil && !errors.Is(err, storage.ErrNotFound):
			return err
		}
		if err == nil {
			if _, err := s.writer.conn.ExecContext(context.Background(), sqlSweepAgain, old.Revision); err != nil {
				return err
			}
		}
		at := s.Now()
		saved = storage.Snapshot{Name: name, Revision: s.writer.last, At: time.UnixMilli(at.UnixMilli())}
		_, err = s.writer.conn.ExecContext(context.Background(), sqlSaveSnapshot, name, saved.Revision, at.UnixMilli())
		return err
	})
	return saved, err
}

// DeleteSnapshot implements storage.Snapshots.
func (s *Store) DeleteSnapshot(ctx context.Context, name string) error {
	return s.changeSnapshots(ctx, "delete snapshot", func() error {
		old, err := s.snapshot(name)
		if err != nil {
			return err
		}
		if _, err := s.writer.conn.ExecContext(context.Background(), sqlSweepAgain, old.Revision); err != nil {
			return err
		}
		_, err = s.writer.conn.ExecContext(context.Background(), sqlDeleteSnapshot, name)
		return err
	})
}

// changeSnapshots does something in a transaction of the writer's that knows all that was committed. Afterwards rows
// may wait for their removal.
func (s *Store) changeSnapshots(ctx context.Context, doing string, do func() error) error {
	if err := s.unwritable(); err != nil {
		return err
	}
	err := s.inTurn(ctx, func() error {
		err := s.transaction(func() error {
			if err := s.catchUp(); err != nil {
				return err
			}
			return do()
		})
		if err != nil {
			return err
		}
		s.writer.sweeping = true
		return s.acknowledge()
	})
	return s.snapshotError(ctx, doing, err)
}

// Snapshots implements storage.Snapshots.
func (s *Store) Snapshots(ctx context.Context) (all []storage.Snapshot, err error) {
	if err := s.unreadable(); err != nil {
		return nil, err
	}
	found, err := s.readers.QueryContext(ctx, sqlSnapshots)
	if err != nil {
		return nil, s.failed(ctx, "list snapshots", err)
	}
	defer found.Close()
	for found.Next() {
		var one storage.Snapshot
		var at int64
		if err := found.Scan(&one.Name, &one.Revision, &at); err != nil {
			return nil, s.failed(ctx, "list snapshots", err)
		}
		one.At = time.UnixMilli(at)
		all = append(all, one)
	}
	return all, s.failed(ctx, "list snapshots", found.Err())
}

// acknowledge checks, after a commit, that it is in the store's own files.
func (s *Store) acknowledge() error {
	if err := s.stillAttached(); err != nil {
		return fmt.Errorf("%w: %w", errCommit, err)
	}
	s.recovered()
	return nil
}

// snapshotError explains an error; what the contract names passes as it is.
func (s *Store) snapshotError(ctx context.Context, doing string, err error) error {
	var named *storage.SnapshotError
	if err == nil || errors.As(err, &named) || errors.Is(err, errClosed) {
		return err
	}
	return s.failed(ctx, doing, err)
}

// snapshot reads one snapshot on the writer's connection.
func (s *Store) snapshot(name string) (storage.Snapshot, error) {
	found, at := storage.Snapshot{Name: name}, int64(0)
	err := s.writer.conn.QueryRowContext(context.Background(), sqlSnapshot, name).Scan(&found.Revision, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return found, &storage.SnapshotError{Err: storage.ErrNotFound, Name: name}
	}
	found.At = time.UnixMilli(at)
	return found, err
}
