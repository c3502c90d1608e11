package running

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// began returns when a process was started.
func began(pid int) (when string, runs bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		err = syscall.Kill(pid, 0)
		return "", err == nil || err == syscall.EPERM
	}
	at := p.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", at.Sec, at.Usec), int(p.Proc.P_pid) == pid
}

// place is this start of the machine.
func place() string {
	session, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		session, _ = os.Hostname()
	}
	return session
}

// parent is the command of the parent process.
func parent() string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", os.Getppid())
	if err != nil {
		return ""
	}
	return unix.ByteSliceToString(p.Proc.P_comm[:])
}
