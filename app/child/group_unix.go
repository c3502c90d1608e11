//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// Detach gives a process a session of its own: it has no terminal, no key interrupts it, and it can be ended with the
// processes that it starts.
func Detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// interruptGroup interrupts a process that Detach prepared, and those that it started, as ^C in a terminal does.
func interruptGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGINT) }

// groupLeft reports whether one of them still runs.
func groupLeft(c *exec.Cmd) bool { return syscall.Kill(-c.Process.Pid, 0) == nil }

// KillGroup ends a process that Detach prepared, and those that it started, at once.
func KillGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
