//go:build unix

package envtest_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"kubarium/app/envtest"
)

// assets are the tests' own binary, laid out.
var assets = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "kubarium-envtest-")
	if err != nil {
		return "", err
	}
	made = dir
	binary, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, _, err = envtest.Lay(dir, binary)
	return dir, err
})

// A process is a program that was started as envtest does it: in a process group of its own.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   buffer
	ended chan struct{}
}

// A buffer is what a process has written so far.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// begin starts a program. It is killed at the end of the test if it still runs.
func begin(t *testing.T, program string, args ...string) *process {
	t.Helper()
	dir, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := &process{t: t, cmd: exec.Command(filepath.Join(dir, program), args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = home, &p.out, &p.out
	p.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		select {
		case <-p.ended:
		default:
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			<-p.ended
		}
	})
	return p
}

// await waits until a URL answers 200, and fails if the process ends before.
func (p *process) await(client *http.Client, url string) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case <-p.ended:
			p.t.Fatalf("it ended: %s", p.out.String())
		default:
		}
		resp, err := client.Get(url)
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	p.t.Fatalf("%s does not answer: %s", url, p.out.String())
}

// over waits for the end, and returns the exit code.
func (p *process) over() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second): // after which envtest gives up
		p.t.Fatalf("it does not end: %s", p.out.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// stopEarly is stop of a program that may have hardly begun: before Go's runtime listens, it is the signal that ends it.
func (p *process) stopEarly() {
	p.t.Helper()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	code := p.over()
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if code != 0 && !(status.Signaled() && status.Signal() == syscall.SIGTERM) {
		p.t.Errorf("exit code %d: %s", code, p.out.String())
	}
}

// stop is how envtest ends a program: SIGTERM to the group. It says how long that took.
func (p *process) stop() time.Duration {
	p.t.Helper()
	began := time.Now()
	if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	if code := p.over(); code != 0 {
		p.t.Errorf("exit code %d: %s", code, p.out.String())
	}
	return time.Since(began)
}
