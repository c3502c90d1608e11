package program

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kubarium/app/debug"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// errForkFile is the error of a fork whose file is there already.
var errForkFile = debug.Refusal(http.StatusConflict, errors.New("there is a file of that name already"))

// fileName is what a fork's file may be called: nothing that leads elsewhere, or that belongs to another database.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// besides are the suffixes of the files of a database.
var besides = []string{"-wal", "-shm", "-journal", ".lock", ".pki"}

// forkFile is the path of a fork's database: next to the parent's, or temporary if that is. A parent on etcd has
// none: its fork is temporary unless it has a name, and then in the folder of databases.
func (p *Program) forkFile(name string, at storage.Revision) (string, error) {
	if p.file == nil && name == "" {
		return ":memory:", nil
	}
	if p.DB == ":memory:" {
		if name != "" {
			return "", debug.Wrong(errors.New("the database is a temporary one, and so is a fork's: it has no file name"))
		}
		return p.DB, nil
	}
	folder := filepath.Dir(p.config.DB)
	if name != "" {
		if err := checkFileName(name); err != nil {
			return "", err
		}
		path := filepath.Join(folder, name)
		if isThere(path) {
			return "", fmt.Errorf("%w: %s", errForkFile, name)
		}
		return path, nil
	}
	ext := filepath.Ext(p.DB)
	begin := fmt.Sprintf("%s-%d", strings.TrimSuffix(p.DB, ext), at)
	for n := 2; ; n++ {
		if path := begin + ext; !isThere(path) {
			return path, nil
		}
		begin = fmt.Sprintf("%s-%d-%d", strings.TrimSuffix(p.DB, ext), at, n)
	}
}

func checkFileName(name string) error {
	beside := slices.ContainsFunc(besides, func(end string) bool { return strings.HasSuffix(name, end) })
	if beside || !fileName.MatchString(name) {
		return debug.Wrong(errors.New("file is the name of a new database next to this one, of letters, digits, \".\", \"-\" and \"_\", such as fork.db"))
	}
	return nil
}

// isThere reports whether a path, or that of a file which a database would have next to it, is taken.
func isThere(path string) bool {
	for _, end := range append([]string{""}, besides...) {
		if _, err := os.Lstat(path + end); err == nil {
			return true
		}
	}
	return false
}

// removeFork removes the files of a fork that did not start, unless it did not start because the file was there
// already.
func (c *Config) removeFork(why error) error {
	if c.DB == ":memory:" || errors.Is(why, sqlitestore.ErrIsThere) || errors.Is(why, sqlitestore.ErrInUse) {
		return nil
	}
	var errs []error
	for _, end := range append([]string{""}, besides...) {
		errs = append(errs, os.RemoveAll(c.DB+end))
	}
	if c.Audit.AuditOptions != nil && c.Audit.LogOptions.Path != "" && c.Audit.LogOptions.Path != "-" {
		if s, err := os.Stat(c.Audit.LogOptions.Path); err == nil && s.Size() == 0 {
			errs = append(errs, os.Remove(c.Audit.LogOptions.Path))
		}
	}
	return errors.Join(errs...)
}
