package app

import (
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

// noFollow opens a link itself, not what it leads to.
const noFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// userData is where programs keep the data of their user: %LocalAppData%, which Go names after caches. Others than that
// user and administrators cannot read what is in it.
func userData() (string, error) { return os.UserCacheDir() }

// ownGroup does nothing here: killGroup ends the process alone.
func ownGroup(*exec.Cmd) {}

// killGroup ends a process at once.
func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
