// Package remedy adds to an error about a file what its reader can do about it.
package remedy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kubarium/server/storage"
)

// Remedies for a folder of temporary files, or of certificates, that cannot be written.
const (
	Temporary    = "set TMPDIR to a folder that can be written"
	Certificates = "say --cert-dir FOLDER for one that can be written"
)

// Add adds a remedy to an error about a file that cannot be used: an operating system's error that names a file, or a
// read-only database's. It returns other errors, and nil, as they are.
func Add(err error, remedy string) error {
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

// IsIn reports whether an error is about a folder, about a file in it, or about a folder on the way to it.
func IsIn(err error, folder string) bool {
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
