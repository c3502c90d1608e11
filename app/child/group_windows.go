package trials

import "os/exec"

// ownGroup does nothing here: killGroup ends the process alone.
func ownGroup(*exec.Cmd) {}

// killGroup ends a process at once.
func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
