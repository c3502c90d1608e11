package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// schemaFiles are the steps from an empty file to the newest schema: NNNN_name.sql, applied in order of their names.
// A file that was released is never changed again; a change of the schema is a new file.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// applicationID marks a SQLite file as Kubarium's: "KUBA".
const applicationID = 0x4B554241

// errNewer says that a file was written by a Kubarium with a newer schema than this one.
var errNewer = errors.New("the database was written by a newer version of Kubarium")

// schemaVersion is the user_version of a file to which all steps in files were applied.
func schemaVersion(files fs.FS) (int, error) {
	names, err := fs.Glob(files, "schema/*.sql")
	return len(names), err
}

// migrate applies the steps that the file has not had, all in one transaction with the new user_version, so that a
// crash leaves the file at a version that it had been brought to as a whole, and a new file costs one commit. The
// file is marked as id then; one that is marked as being filled is refused otherwise.
func migrate(ctx context.Context, c *sql.Conn, files fs.FS, id int) error {
	names, err := fs.Glob(files, "schema/*.sql")
	if err != nil {
		return err
	}
	var version int
	if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version > len(names) {
		return fmt.Errorf("%w: its schema is version %d, this one knows %d", errNewer, version, len(names))
	}
	if err := notFilling(ctx, c); err != nil && id != fillingID {
		return err
	}
	if version == len(names) {
		return nil
	}
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err = applySteps(ctx, c, files, names, version, id)
	if err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		c.ExecContext(ctx, "ROLLBACK") // SQLite may have ended the transaction; err says more
	}
	return err
}

// applySteps applies the steps after a version, and marks the file.
func applySteps(ctx context.Context, c *sql.Conn, files fs.FS, names []string, version, id int) error {
	for _, name := range names[version:] {
		version++
		if !strings.HasPrefix(name, fmt.Sprintf("schema/%04d_", version)) {
			return fmt.Errorf("schema step %s: expected a file for version %d", name, version)
		}
		step, err := fs.ReadFile(files, name)
		if err == nil {
			_, err = c.ExecContext(ctx, string(step))
		}
		if err != nil {
			return fmt.Errorf("schema step %s: %w", name, err)
		}
	}
	_, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, id))
	return err
}
