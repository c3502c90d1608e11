package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// inspect looks at the file before anything is touched: it must be absent, empty, or ours and not too new.
func inspect(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return join(err, fmt.Errorf("%w: it is a folder", errNotDatabase))
	}
	header := make([]byte, 100)
	n, err := io.ReadFull(f, header)
	if errors.Is(err, io.EOF) {
		return nil // an empty file becomes a database
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if n < len(header) || !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) {
		return errNotDatabase
	}
	return inspectHeader(header)
}

// inspectHeader reads the two numbers that SQLite keeps for applications (file format, "The Database Header"). A file
// that was cut off before its first step has neither.
func inspectHeader(header []byte) error {
	version, app := binary.BigEndian.Uint32(header[60:]), binary.BigEndian.Uint32(header[68:])
	if app == 0 && version == 0 && binary.BigEndian.Uint32(header[40:]) == 0 {
		return nil
	}
	if app != applicationID && app != fillingID { // which of the two it is, the write-ahead log may know better
		return fmt.Errorf("%w but another program's", errNotDatabase)
	}
	known, err := schemaVersion(schemaFiles)
	if err != nil {
		return err
	}
	if int(version) > known {
		return fmt.Errorf("%w: its schema is version %d, this one knows %d", errNewer, version, known)
	}
	return nil
}

// proveFolder proves that files can be made in the folder of the database: SQLite needs two next to its own.
func proveFolder(dir string) error {
	f, err := os.CreateTemp(dir, ".kubarium-*")
	if err != nil {
		return fmt.Errorf("cannot write in the folder %s: %w", dir, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// resolve makes one name of all that lead to a file, so that its lock is one.
func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real, nil
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		return filepath.Join(dir, filepath.Base(abs)), nil
	}
	return abs, nil
}

// openWriter opens the one connection that writes, and brings the schema up to date; id is the mark of a file that
// had no schema.
func openWriter(ctx context.Context, path, sync string, id int) (*sql.DB, *sql.Conn, error) {
	db, err := sql.Open("sqlite", dsn(path, "rwc",
		fmt.Sprintf("busy_timeout(%d)", openWait.Milliseconds()),
		incremental,
		"journal_mode(WAL)",
		"synchronous("+strings.ToUpper(sync)+")",
		"recursive_triggers(OFF)",
		"cache_size(-4096)", // KiB: what is missed is in the memory of the operating system still
		fmt.Sprintf("wal_autocheckpoint(%d)", autoCheckpoint),
		"journal_size_limit(67108864)"))
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, join(err, db.Close())
	}
	if err := migrate(ctx, c, schemaFiles, id); err != nil {
		return nil, nil, join(err, c.Close(), db.Close())
	}
	_, err = c.ExecContext(ctx, busyTimeout(beginWait))
	if err != nil {
		return nil, nil, join(err, c.Close(), db.Close())
	}
	return db, c, nil
}

// openReaders opens the pool of connections that can only read.
func openReaders(f *files, most int) (*sql.DB, error) {
	db, err := f.open(dsn(f.path, "ro",
		fmt.Sprintf("busy_timeout(%d)", busyAfter.Milliseconds()), "query_only(ON)", "cache_size(-2048)", "data_version"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}
