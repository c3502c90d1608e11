package running

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// began returns when a process was started, in clock ticks since the machine was: field 22 of /proc/PID/stat
// (proc_pid_stat(5)). Where /proc does not say so, it is "".
func began(pid int) (when string, runs bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", alive(pid)
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name before it may have any bytes; what follows is field 3
	if len(fields) < 20 {
		return "", alive(pid)
	}
	state := string(fields[0])
	return string(fields[19]), state != "Z" && state != "X"
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}

// place is this start of the machine, and the namespace that the numbers of processes are of.
func place() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + namespace
}

// parent is the command of the parent process, of its arguments only what go is to do.
func parent() string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid()))
	if err != nil {
		return ""
	}
	args := strings.Split(string(text), "\x00")
	name := filepath.Base(args[0])
	if name == "go" && len(args) > 1 && args[1] != "" && !strings.HasPrefix(args[1], "-") {
		return name + " " + args[1]
	}
	return strings.TrimPrefix(name, "-") // of a login shell
}
