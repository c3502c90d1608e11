//go:build unix

package home

import (
	"os"
	"path/filepath"
)

// userData is where programs keep the data of their user.
func userData() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}
