package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"kubarium/server/storage"
)

const (
	sqlRewrite   = "UPDATE objects SET value = ? WHERE resource = ? AND key = ?"
	sqlRewritten = "SELECT revision FROM objects WHERE resource = ? AND key = ?"
)

// Rewrite implements storage.Engine. It opens the database as another process would, and changes a row with plain
// SQL. The trigger gives the change its revision, unless the value is the one that the row has already.
func (s *Store) Rewrite(ctx context.Context, k storage.Key, value []byte) (revision storage.Revision, err error) {
	db, err := s.Beside("rw")
	if err != nil {
		return 0, err
	}
	defer func() { err = join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if _, err := tx.ExecContext(ctx, sqlRewrite, string(value), k.Resource, k.Name); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, sqlRewritten, k.Resource, k.Name).Scan(&revision)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, &storage.KeyError{Err: storage.ErrNotFound, Key: k}
	}
	if err != nil {
		return 0, err
	}
	return revision, tx.Commit()
}
