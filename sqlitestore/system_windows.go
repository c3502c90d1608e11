package sqlitestore

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// Windows differs in what follows. An open file there keeps its name, too, unless it was opened otherwise, which
// SQLite and this package do not do: the files of a store that is open, and the folders above them, cannot be
// removed, renamed or replaced.

// asIs opens what has a name itself, not what a link leads to.
const asIs = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// isLink reports that asIs met a link: it is opened here, and its mode says so.
func isLink(error) bool { return false }

// stampable is false: the time of a file that is open follows what is written to it at some later moment.
const stampable = false

// modes is false: who may read a file is inherited from its folder, and its mode is made up.
const modes = false

// The kinds of locks that tryLock takes.
const (
	shared    = 0
	exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK
)

// errLocked says that another process has the lock.
var errLocked error = windows.ERROR_LOCK_VIOLATION

// tryLock takes the lock of a file, or returns errLocked. It ends when the file is closed, as it is at the end of the
// process. Others can neither read nor write what is locked: that is one byte far after the text, which they may
// read.
func tryLock(f *os.File, kind uint32) error {
	at := &windows.Overlapped{OffsetHigh: math.MaxInt32}
	return windows.LockFileEx(windows.Handle(f.Fd()), kind|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

// inode is the number of a file in its file system; 0 for none.
func inode(path string, info os.FileInfo) uint64 {
	if info == nil {
		return 0
	}
	f, err := os.OpenFile(path, os.O_RDONLY|asIs, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	var found windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &found) != nil {
		return 0
	}
	return uint64(found.FileIndexHigh)<<32 | uint64(found.FileIndexLow)
}

// isNotDir reports that a part of a path is not a folder any more, which is a path that does not exist here.
func isNotDir(error) bool { return false }

// isFull reports that there is no space left, or none for this user.
func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

// isReadOnly reports that the volume takes no writes.
func isReadOnly(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

// writable reports whether a file may be written. Here the error of the write itself says so.
func writable(string) bool { return true }
