//go:build unix

package app

import (
	"os"
	"path/filepath"
	"syscall"
)

// noFollow opens a file, not what a link in its place leads to.
const noFollow = syscall.O_NOFOLLOW

// userData is where programs keep the data of their user.
func userData() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}
