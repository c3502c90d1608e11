//go:build unix

package app

import (
	"syscall"
	"time"
)

// processSeconds is the CPU time that the operating system gave this process, in seconds; 0 if it does not tell.
func processSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
