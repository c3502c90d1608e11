package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// fillingID marks a SQLite file that does not have yet all that it is to begin with: "KUBF". The copy's own
// transaction makes it applicationID.
const fillingID = 0x4B554246

// errFilling says what to do with a file that is marked so.
var errFilling = errors.New("it does not have all objects yet: a copy from another store has not ended, or was interrupted; " +
	"then remove it with the files next to it (-wal, -shm, .lock, .pki), and copy again")

// makeFilling makes the file of a database that begins with the objects of another. It has its mark before it has its
// name, so that a process that is killed never leaves what looks like an empty store.
func (s *Store) makeFilling(ctx context.Context) error {
	f, err := os.CreateTemp(filepath.Dir(s.Path), ".kubarium-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // if it has not got its name
	if err := f.Close(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn(f.Name(), "rw", incremental))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, fmt.Sprint("PRAGMA application_id = ", fillingID))
	if err := join(err, db.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.Path)
}

// notFilling returns errFilling of a database that is marked.
func notFilling(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}) error {
	var id int
	err := q.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil && id == fillingID {
		err = errFilling
	}
	return err
}
