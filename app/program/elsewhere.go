package program

import (
	"errors"
	"fmt"

	"kubarium/app/remedy"
	"kubarium/server/storage"
)

// Advise adds to an error about the database, or about the files next to it, what to do.
func (c *Config) Advise(err error) error {
	if errors.Is(err, storage.ErrReadOnly) {
		err = readOnly{c.DB, err}
	}
	switch {
	case c.Secure.CertDir != "" && remedy.IsIn(err, c.Secure.CertDir):
		return remedy.Add(err, remedy.Certificates)
	case c.Remedy != "":
		return remedy.Add(err, c.Remedy)
	case c.DB == ":memory:":
		return remedy.Add(err, remedy.Temporary)
	}
	return remedy.Add(err, "say --db FILE for one that can be written, or --db :memory:")
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

// beside is Advise for files that are read; some flags name files elsewhere, whose errors stay as they are.
func (c *Config) beside(err error) error {
	for _, folder := range []string{c.folder(), c.Secure.CertDir} {
		if folder != "" && remedy.IsIn(err, folder) {
			return c.Advise(err)
		}
	}
	return err
}
