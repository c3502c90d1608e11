//go:build unix && !linux && !darwin

package running

import (
	"os"
	"syscall"
)

// began reports whether a process of that number runs; when it was started is not known.
func began(pid int) (when string, runs bool) {
	err := syscall.Kill(pid, 0)
	return "", err == nil || err == syscall.EPERM
}

// place is the machine.
func place() string {
	name, _ := os.Hostname()
	return name
}

// parent is not known.
func parent() string { return "" }
