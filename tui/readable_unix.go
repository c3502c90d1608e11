//go:build unix

package tui

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable waits until a file has something to read, for so long at most. poll would do, but macOS has none for
// terminals.
func readable(f *os.File, wait time.Duration) bool {
	fd := int(f.Fd())
	if fd >= unix.FD_SETSIZE {
		return false
	}
	var set unix.FdSet
	set.Set(fd)
	limit := unix.NsecToTimeval(wait.Nanoseconds())
	n, err := unix.Select(fd+1, &set, nil, nil, &limit)
	return err == nil && n > 0
}
