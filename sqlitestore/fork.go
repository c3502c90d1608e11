package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/google/uuid"

	"kubarium/server/storage"
)

// ErrIsThere says that a new database would take the place of a file.
var ErrIsThere = errors.New("there is such a file already")

// The statements that copy a state: the rows of the log that made the objects what they were, and out of these the
// objects. The statements do the triggers' work, so these are dropped for that time.
const (
	sqlState1  = `SELECT s.revision, s.readable, EXISTS (SELECT 1 FROM snapshots WHERE revision = ?1) FROM store AS s`
	sqlStateAt = `SELECT revision, type, resource, key, value, before_revision, at, outside FROM changes AS c WHERE revision <= ?1 AND type <> 'D'
	AND NOT EXISTS (SELECT 1 FROM changes AS n WHERE n.resource = c.resource AND n.key = c.key AND n.revision > c.revision AND n.revision <= ?1)
	ORDER BY revision`
	sqlTriggers    = `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`
	sqlCopyChange  = `INSERT INTO changes (revision, type, resource, key, value, before_revision, at, outside) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	sqlCopyAnew    = `INSERT INTO changes (revision, type, resource, key, value, before_revision, at, outside) VALUES (?, ?, ?, ?, json_replace(?, '$.metadata.uid', ?), ?, ?, ?)`
	sqlCopyObjects = `INSERT INTO objects (resource, key, value, revision) SELECT resource, key, value, revision FROM changes`
	sqlCopied      = `UPDATE store SET revision = ?1, compacted = ?1, readable = ?1, swept = ?1`
)

// beginWith fills a new database with the state that it begins with: the same objects, with the same revisions, and
// compacted there. It happens whole or not at all; a file that has got nothing is removed.
func (s *Store) beginWith(ctx context.Context) error {
	if s.Begin == nil {
		return nil
	}
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	err = s.Begin.copyTo(ctx, tx)
	if err == nil {
		_, err = tx.ExecContext(ctx, fmt.Sprint("PRAGMA application_id = ", applicationID))
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return join(err, tx.Rollback(), s.removeNew())
	}
	return nil
}

// removeNew removes the files of a database that was not used yet. The side file stays, as it always does.
func (s *Store) removeNew() error {
	if err := join(s.conn.Close(), s.db.Close()); err != nil {
		return err
	}
	s.conn, s.db = nil, nil
	for _, kind := range fileKinds[:3] {
		if err := os.Remove(s.Path + kind.suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyTo reads the state in one transaction of its store and writes it in one of another.
func (b *State) copyTo(ctx context.Context, to *sql.Tx) error {
	if err := b.Of.unreadable(); err != nil {
		return err
	}
	from, err := b.Of.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return b.Of.failed(ctx, "read the state", err)
	}
	defer from.Rollback() // it has nothing to commit
	var newest, readable storage.Revision
	var kept bool
	if err := from.QueryRowContext(ctx, sqlState1, b.At).Scan(&newest, &readable, &kept); err != nil {
		return b.Of.failed(ctx, "read the state", err)
	}
	if err := within(b.At, newest, readable); err != nil && !kept {
		return err
	}
	return withoutTriggers(ctx, to, func() error {
		if err := b.copyChanges(ctx, from, to); err != nil {
			return err
		}
		if _, err := to.ExecContext(ctx, sqlCopyObjects); err != nil {
			return err
		}
		_, err := to.ExecContext(ctx, sqlCopied, b.At)
		return err
	})
}

// copyChanges copies the rows of the log that made the objects what they were.
func (b *State) copyChanges(ctx context.Context, from, to *sql.Tx) error {
	text := sqlCopyChange
	if b.Anew {
		text = sqlCopyAnew
	}
	write, err := to.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer write.Close()
	found, err := from.QueryContext(ctx, sqlStateAt, b.At)
	if err != nil {
		return b.Of.failed(ctx, "read the state", err)
	}
	defer found.Close()
	for found.Next() {
		var row [8]any
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := found.Scan(into...); err != nil {
			return b.Of.failed(ctx, "read the state", err)
		}
		values := row[:]
		if b.Anew {
			values = slices.Insert(values, 5, any(uuid.NewString())) // after the value, whose uid it becomes
		}
		if _, err := write.ExecContext(ctx, values...); err != nil {
			return err
		}
	}
	return b.Of.failed(ctx, "read the state", found.Err())
}

// withoutTriggers does something while no trigger fires; they are as they were afterwards.
func withoutTriggers(ctx context.Context, tx *sql.Tx, do func() error) error {
	triggers := map[string]string{}
	found, err := tx.QueryContext(ctx, sqlTriggers)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var name, text string
		if err := found.Scan(&name, &text); err != nil {
			return err
		}
		triggers[name] = text
	}
	if err := found.Err(); err != nil {
		return err
	}
	for name := range triggers {
		if _, err := tx.ExecContext(ctx, "DROP TRIGGER "+name); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return err
	}
	for _, text := range triggers {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
