// Package home says where Kubarium keeps the data of its user: databases, what the UI remembers, and which servers run.
package home

import (
	"errors"
	"os"
	"path/filepath"

	"kubarium/app/running"
)

// Data is where databases and the UI's memory live: $XDG_DATA_HOME/kubarium, or ~/.local/share/kubarium, or on
// Windows %LocalAppData%\kubarium.
func Data() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kubarium"), nil
	}
	dir, err := userData()
	if err != nil {
		return "", errors.New("there is no home folder for the database; use --db FILE, or --db :memory: for a temporary one")
	}
	return filepath.Join(dir, "kubarium"), nil
}

// Named returns an error if no database is named, and the user has no home folder for one.
func Named(db string) error {
	if db != "" {
		return nil
	}
	_, err := Data()
	return err
}

// DB is the database where none is named; "" where the user has no home folder.
func DB() string {
	dir, err := Data()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "kubarium.db")
}

// Running are where running servers are found.
func Running() []string {
	data, err := Data()
	if err != nil {
		data = ""
	}
	return running.Folders(data)
}
