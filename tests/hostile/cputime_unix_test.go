//go:build unix

package hostile_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, on all cores; 0 if the system does not report it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
