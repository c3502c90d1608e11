package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A Process is a command that runs while its caller does other things.
type Process struct {
	cmd   *exec.Cmd
	apart bool
	ended chan struct{}
	code  int  // once it has ended
	left  bool // whether others of its session run on then
}

// Streams are what a Process reads and writes. A file is given to it as it is; no In is the null device.
type Streams struct {
	In        io.Reader
	Out, Errs io.Writer
}

// Begin starts a command. One that is apart is in a session of its own, and End ends what it has started as well;
// another shares the terminal with this process, and gets ^C from there.
func Begin(command, environment []string, s Streams, apart bool) (*Process, error) {
	c := exec.Command(command[0], command[1:]...)
	c.Env, c.Stdin, c.Stdout, c.Stderr = environment, s.In, s.Out, s.Errs
	c.WaitDelay = time.Second // for a pipe that what it has started keeps open
	if apart {
		Detach(c)
	}
	p := &Process{cmd: c, apart: apart, ended: make(chan struct{})}
	begun.mu.Lock()
	defer begun.mu.Unlock()
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("run %s: %w", command[0], err)
	}
	begun.all = append(begun.all, p)
	go func() {
		_ = c.Wait() // its state says more
		p.code, p.left = exitCode(c.ProcessState), apart && groupLeft(c)
		close(p.ended)
	}()
	return p, nil
}

// exitCode is the exit code as shells say it: 128 and the number of the signal that ended the process.
func exitCode(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return s.ExitCode()
}

// Ended is closed when the command has ended, by itself or by End.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Code returns whether the command has ended, and its exit code.
func (p *Process) Code() (ended bool, code int) {
	select {
	case <-p.ended:
		return true, p.code
	default:
		return false, 0
	}
}

// Interrupt asks the command to end.
func (p *Process) Interrupt() {
	switch {
	case p.apart:
		interruptGroup(p.cmd)
	case errors.Is(p.cmd.Process.Signal(os.Interrupt), errors.ErrUnsupported):
		_ = p.cmd.Process.Kill()
	}
}

// Await gives the command a while to end, and kills it after that, or when hurry is closed. If the command is apart,
// the processes that it has started end with it. Await returns when the command has ended.
func (p *Process) Await(hurry <-chan struct{}) {
	select {
	case <-p.ended:
	case <-hurry:
	case <-time.After(endGrace):
	}
	p.kill()
	<-p.ended
}

// kill ends the command at once, and if it is apart what it has started.
func (p *Process) kill() {
	ended, _ := p.Code()
	switch {
	case p.apart && (!ended || p.left): // otherwise its number may be another's by now
		KillGroup(p.cmd)
	case !p.apart:
		_ = p.cmd.Process.Kill() // which does nothing to one that has ended
	}
}

// begun are the commands of this process. Those that are apart would outlive it.
var begun struct {
	mu  sync.Mutex // guards all
	all []*Process
}

// KillAll ends at once all commands that Begin has started. It is for a process that does not wait for them.
func KillAll() {
	begun.mu.Lock()
	defer begun.mu.Unlock()
	for _, p := range begun.all {
		p.kill()
	}
}
