//go:build unix

package sqlitestore_test

import (
	"syscall"
	"time"
)

// cpuTime is how long the processors have worked for this process; 0 where that is not known.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
