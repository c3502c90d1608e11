//go:build unix

package running

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// userName tells users apart in the folder for temporary files, which they share.
func userName() string { return strconv.Itoa(os.Getuid()) }

// private tells whether a folder is this user's, and nobody else can look into it.
func private(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}
