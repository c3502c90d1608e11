//go:build unix

package memory

import (
	"syscall"
	"time"
)

// ProcessSeconds is the CPU time that the operating system gave this process, in seconds; 0 if that is not known.
func ProcessSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
