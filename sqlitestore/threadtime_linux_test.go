package sqlitestore

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is how long the processors have worked for this thread.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
