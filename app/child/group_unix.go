//go:build unix

package trials

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a process and those that it starts be ended together.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a process that ownGroup prepared, and those that it started, at once.
func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
