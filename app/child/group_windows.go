package child

import (
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// Detach gives a process a group of its own, which no ^C reaches.
func Detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// interruptGroup interrupts a process that Detach prepared, and those that it started. Such a group takes no ^C, and
// Go programs take Ctrl-Break for the same.
func interruptGroup(c *exec.Cmd) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid))
}

// groupLeft is false: those that it started cannot be found once it has ended.
func groupLeft(*exec.Cmd) bool { return false }

// KillGroup ends a process that Detach prepared, and those that it started, at once.
func KillGroup(c *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(c.Process.Pid)).Run()
}
