package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"time"

	"kubarium/server/storage"
)

// Told is the history of another store: the changes that made its objects what they were at a revision, and those
// that followed, in the order of their revisions.
type Told struct {
	Changes iter.Seq[storage.Change]
	From    storage.Revision // of the state, read when Changes have ended; what is older cannot be read. 0 where there is none: then from the first change on
	Err     func() error     // why Changes have ended too early, if they have; nil for changes that cannot
}

// The statements that write a history as it was, while no trigger fires.
const (
	sqlToldObjects = `INSERT INTO objects (resource, key, value, revision) SELECT resource, key, value, revision FROM changes AS c
	WHERE type <> 'D' AND NOT EXISTS (SELECT 1 FROM changes AS n WHERE n.resource = c.resource AND n.key = c.key AND n.revision > c.revision)`
	sqlToldStore = `UPDATE store SET revision = max(?1, (SELECT ifnull(max(revision), 0) FROM changes)), compacted = ?1, readable = ?1, swept = ?1`
)

// copyTo implements Beginning.
func (b *Told) copyTo(ctx context.Context, to *sql.Tx) error {
	return withoutTriggers(ctx, to, func() error {
		write, err := to.PrepareContext(ctx, sqlCopyChange)
		if err != nil {
			return err
		}
		defer write.Close()
		first := storage.Revision(0)
		for c := range b.Changes {
			if first == 0 {
				first = c.Revision
			}
			var value any
			if c.Type != storage.Deleted {
				value = string(c.Value)
			}
			if _, err := write.ExecContext(ctx, c.Revision, string(rune(c.Type)), c.Key.Resource, c.Key.Name, value, c.BeforeRevision, c.At.UnixMilli(), c.Outside); err != nil {
				return err
			}
		}
		if b.Err != nil && b.Err() != nil {
			return b.Err()
		}
		if _, err := to.ExecContext(ctx, sqlToldObjects); err != nil {
			return err
		}
		_, err = to.ExecContext(ctx, sqlToldStore, cmp.Or(b.From, max(first-1, 0)))
		return err
	})
}

const (
	sqlToldBegin = `UPDATE store SET revision = ?1 - 1, writing_at = ?2`
	sqlToldEnd   = `UPDATE store SET writing_at = NULL`
	sqlToldWrite = `INSERT INTO objects (resource, key, value) VALUES (?1, ?2, ?3) ON CONFLICT (resource, key) DO UPDATE SET value = ?3`
	sqlToldDrop  = `DELETE FROM objects WHERE resource = ?1 AND key = ?2`
	sqlToldMark  = `UPDATE changes SET outside = ?2 WHERE revision = ?1`
)

// Tell writes further changes of the store that the history is of, in the order of their revisions, all of them above
// those that are there. The follower gets them like changes from outside, each with its own revision and time.
func (s *Store) Tell(ctx context.Context, changes []storage.Change) (err error) {
	db, err := s.Beside("rw")
	if err != nil {
		return err
	}
	defer func() { err = join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := tell(ctx, tx, c); err != nil {
			return join(err, tx.Rollback())
		}
	}
	if _, err := tx.ExecContext(ctx, sqlToldEnd); err != nil {
		return join(err, tx.Rollback())
	}
	return tx.Commit()
}

// tell writes a change through the triggers, which give it the revision after the store's.
func tell(ctx context.Context, tx *sql.Tx, c storage.Change) error {
	if _, err := tx.ExecContext(ctx, sqlToldBegin, c.Revision, c.At.UnixMilli()); err != nil {
		return err
	}
	var err error
	if c.Type == storage.Deleted {
		_, err = tx.ExecContext(ctx, sqlToldDrop, c.Key.Resource, c.Key.Name)
	} else {
		_, err = tx.ExecContext(ctx, sqlToldWrite, c.Key.Resource, c.Key.Name, string(c.Value))
	}
	if err != nil || !c.Outside {
		return err
	}
	_, err = tx.ExecContext(ctx, sqlToldMark, c.Revision, c.Outside)
	return err
}

const (
	sqlHead    = `SELECT revision, readable FROM store`
	sqlLaterOn = `SELECT revision, type, resource, key, value, before_revision, at, outside FROM changes WHERE revision > ?1 ORDER BY revision`
)

// ReadHistory implements storage.Engine.
func (s *Store) ReadHistory(ctx context.Context, at storage.Revision, begin func(storage.Span) error, state, change func(storage.Change) error) error {
	if err := s.unreadable(); err != nil {
		return err
	}
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s.failed(ctx, "read the history", err)
	}
	defer tx.Rollback() // it has nothing to commit
	var newest, readable storage.Revision
	if err := tx.QueryRowContext(ctx, sqlHead).Scan(&newest, &readable); err != nil {
		return s.failed(ctx, "read the history", err)
	}
	switch at {
	case 0:
		at = newest
	case -1:
		at = readable
	}
	if err := within(at, newest, readable); err != nil {
		return err
	}
	if err := begin(storage.Span{From: at, Newest: newest}); err != nil {
		return err
	}
	if err := s.each(ctx, tx, sqlStateAt, at, state); err != nil || at == newest || change == nil {
		return err
	}
	return s.each(ctx, tx, sqlLaterOn, at, change)
}

func (s *Store) each(ctx context.Context, tx *sql.Tx, statement string, at storage.Revision, fn func(storage.Change) error) error {
	found, err := tx.QueryContext(ctx, statement, at)
	if err != nil {
		return s.failed(ctx, "read the history", err)
	}
	defer found.Close()
	for found.Next() {
		var c storage.Change
		var typ string
		var at int64
		if err := found.Scan(&c.Revision, &typ, &c.Key.Resource, &c.Key.Name, &c.Value, &c.BeforeRevision, &at, &c.Outside); err != nil {
			return s.failed(ctx, "read the history", err)
		}
		if typ != "" {
			c.Type = storage.ChangeType(typ[0])
		}
		c.At = time.UnixMilli(at)
		if err := fn(c); err != nil {
			return err
		}
	}
	return s.failed(ctx, "read the history", found.Err())
}
