//go:build unix

package sqlitestore

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Operating systems differ in what follows. See system_windows.go for the other side.

// asIs opens what has a name itself, not what a link leads to, and does not wait at a pipe.
const asIs = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// isLink reports that asIs met a link.
func isLink(err error) bool { return errors.Is(err, syscall.ELOOP) }

// stampable reports whether the time of a file changes with each write, and whether reading a file shows what was
// written into its mapping, which OpenBSD does not promise.
const stampable = runtime.GOOS != "openbsd"

// modes reports whether the mode of a file says who may read it.
const modes = true

// The kinds of locks that tryLock takes.
const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

// errLocked says that another process has the lock.
var errLocked error = syscall.EWOULDBLOCK

// tryLock takes the lock of a file, or returns errLocked. It ends when the file is closed, as it is at the end of the
// process.
func tryLock(f *os.File, kind int) error { return syscall.Flock(int(f.Fd()), kind|syscall.LOCK_NB) }

// inode is the number of a file in its file system; 0 for none.
func inode(_ string, info os.FileInfo) uint64 {
	if info == nil {
		return 0
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}

// isNotDir reports that a part of a path is not a folder any more.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// isFull reports that there is no space left, or none for this user.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// isReadOnly reports that the file system takes no writes.
func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

// writable reports whether a file may be written, one that is not there as well: it does not open it, which would
// cost a lock.
func writable(path string) bool {
	err := unix.Access(path, unix.W_OK)
	return err == nil || errors.Is(err, syscall.ENOENT)
}
