package app

import (
	"os/exec"

	"golang.org/x/sys/windows"
)

// noFollow opens a link itself, not what it leads to.
const noFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// ownGroup does nothing here: killGroup ends the process alone.
func ownGroup(*exec.Cmd) {}

// killGroup ends a process at once.
func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
