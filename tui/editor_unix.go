//go:build unix

package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// runEditor runs an editor in the foreground of the terminal, as a job of its own: ^C and ^Z there are the editor's,
// and stop neither Kubarium nor its API server. An editor that stops itself goes on at once, since no shell could wake
// it.
func runEditor(ctx context.Context, cmd *exec.Cmd, in io.Reader) error {
	fd, ours, ok := foreground(in)
	if !ok {
		return runBeside(ctx, cmd)
	}
	signal.Ignore(syscall.SIGTTOU, syscall.SIGTSTP) // of the terminal that is taken back; an editor that knows of ^Z opens a shell instead
	defer signal.Reset(syscall.SIGTTOU, syscall.SIGTSTP)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: fd}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, ours) }()
	pid := cmd.Process.Pid
	defer context.AfterFunc(ctx, func() { _ = syscall.Kill(-pid, syscall.SIGHUP) })()
	defer func() { _ = cmd.Process.Release() }()
	return waitForJob(pid)
}

// foreground is the terminal that in is, and the process group in front of it; ok is false if that is not this
// process's.
func foreground(in io.Reader) (fd, group int, ok bool) {
	tty, isFile := in.(*os.File)
	if !isFile {
		return 0, 0, false
	}
	fd = int(tty.Fd())
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return fd, group, err == nil && group == unix.Getpgrp()
}

// waitForJob waits until a process has ended, and wakes its group whenever it stops.
func waitForJob(pid int) error {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return err
		case status.Stopped():
			_ = syscall.Kill(-pid, syscall.SIGCONT)
		case status.Signaled():
			return fmt.Errorf("signal %s", status.Signal())
		case status.ExitStatus() != 0:
			return fmt.Errorf("exit status %d", status.ExitStatus())
		default:
			return nil
		}
	}
}
