//go:build unix

package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lockFile takes the lock that makes this process the owner of a database; closing the file gives it back, as does the
// end of the process. The lock is on a side file, so that other programs may still open the database itself. The file
// stays: removing it would let two owners lock two files of one name.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		owner, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		return nil, fmt.Errorf("%w (process %s)", errInUse, strings.TrimSpace(string(owner)))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	// The number serves the message above alone.
	if err := f.Truncate(0); err == nil {
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}
