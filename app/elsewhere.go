package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kubarium/server/storage"
)

// What to do about a folder for temporary files, or one of certificates, that takes none.
const (
	temporaryElsewhere = "set TMPDIR to a folder that can be written"
	certsElsewhere     = "say --cert-dir FOLDER for one that can be written"
)

// elsewhere says of a file that cannot be used what to do about it. It tells that by the kind of the error: an operating system's,
// with its file, or a read-only database's. Others are handed on as they are.
func elsewhere(err error, remedy string) error {
	var file *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &file):
		return fmt.Errorf("cannot %s: %w; %s", doing(file.Op, file.Path), file.Err, remedy)
	case errors.As(err, &two):
		return fmt.Errorf("cannot %s: %w; %s", doing(two.Op, two.New), two.Err, remedy)
	case errors.Is(err, storage.ErrReadOnly), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; %s", err, remedy)
	}
	return err
}

// doing says what an operating system was asked for.
func doing(op, path string) string {
	words := map[string]string{"mkdir": "make the folder", "stat": "find", "lstat": "find"}
	if word := words[op]; word != "" {
		op = word
	}
	return op + " " + path
}

// elsewhere says of an error about the database, or about what is made beside it, what to do.
func (c *Config) elsewhere(err error) error {
	if errors.Is(err, storage.ErrReadOnly) {
		err = readOnly{c.DB, err}
	}
	switch {
	case c.Secure.CertDir != "" && isIn(err, c.Secure.CertDir):
		return elsewhere(err, certsElsewhere)
	case c.remedy != "":
		return elsewhere(err, c.remedy)
	case c.DB == ":memory:":
		return elsewhere(err, temporaryElsewhere)
	}
	return elsewhere(err, "say --db FILE for one that can be written, or --db :memory:")
}

// A readOnly says of a database file that it is read-only, in the place of what a running server would say of it.
type readOnly struct {
	file string
	error
}

func (r readOnly) Error() string {
	return fmt.Sprintf("cannot write %s: the file is read-only, or its file system", r.file)
}

func (r readOnly) Unwrap() error { return r.error }

// beside is elsewhere for files that are read, some of which are in other places by flags of their own.
func (c *Config) beside(err error) error {
	for _, folder := range []string{c.folder(), c.Secure.CertDir} {
		if folder != "" && isIn(err, folder) {
			return c.elsewhere(err)
		}
	}
	return err
}

// isIn tells whether an error is about a folder, about a file in it, or about a folder on the way to it.
func isIn(err error, folder string) bool {
	var file *fs.PathError
	if !errors.As(err, &file) {
		return false
	}
	for _, p := range [][2]string{{folder, file.Path}, {file.Path, folder}} {
		if rel, err := filepath.Rel(p[0], p[1]); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
