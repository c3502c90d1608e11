//go:build unix

package running

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// userName distinguishes users in the folder for temporary files, which they share.
func userName() string { return strconv.Itoa(os.Getuid()) }

// private reports whether a folder belongs to this user, and no other user can read it.
func private(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
