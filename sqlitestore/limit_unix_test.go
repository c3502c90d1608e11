//go:build unix

package sqlitestore_test

import (
	"os"
	"strconv"
	"syscall"
)

// fileSizeEnv bounds the files of a child, in bytes more than the write-ahead log has.
const fileSizeEnv = "KUBARIUM_FILE_SIZE"

// limitFiles bounds the files that this process may write, if it is told to.
func limitFiles(path string) error {
	more, err := strconv.Atoi(os.Getenv(fileSizeEnv))
	if err != nil {
		return nil
	}
	limit := uint64(more)
	if info, err := os.Stat(path + "-wal"); err == nil {
		limit += uint64(info.Size())
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
}
