package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
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

// migrate applies the steps that the file has not had, each in one transaction with its new user_version, so that a
// crash leaves the file at a whole version.
func migrate(ctx context.Context, c *sql.Conn, files fs.FS) error {
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
	for i, name := range names[version:] {
		if err := applyStep(ctx, c, files, name, version+i+1); err != nil {
			return fmt.Errorf("schema step %s: %w", name, err)
		}
	}
	return nil
}

func applyStep(ctx context.Context, c *sql.Conn, files fs.FS, name string, version int) error {
	if !strings.HasPrefix(name, fmt.Sprintf("schema/%04d_", version)) {
		return fmt.Errorf("expected a file for version %d", version)
	}
	step, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	script := "BEGIN IMMEDIATE;\n" + string(step) + "\nPRAGMA user_version = " + strconv.Itoa(version) +
		"; PRAGMA application_id = " + strconv.Itoa(applicationID) + "; COMMIT;"
	if _, err := c.ExecContext(ctx, script); err != nil {
		c.ExecContext(ctx, "ROLLBACK") // the transaction may not have begun; err says more
		return err
	}
	return nil
}
