//go:build unix

package main_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// The program asks the terminal for nothing before it knows what it is to do: a terminal that does not answer would hold it up.
func TestMain_AsksTerminalNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "kubarium")
	if out, err := exec.Command("go", "build", "-o", program, "kubarium").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	defer ptm.Close()
	version := exec.Command(program, "version")
	version.Env = append(without(os.Environ(), "CI"), "TERM=xterm-256color")
	version.Stdin, version.Stdout, version.Stderr = pts, pts, pts
	version.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // only who is in the foreground may ask
	if err := version.Start(); err != nil {
		t.Fatal(err)
	}
	pts.Close()
	var out bytes.Buffer
	_, _ = io.Copy(&out, ptm) // ends with the program, which has the other side
	if err := version.Wait(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "kubarium") {
		t.Errorf("version says %q", out.String())
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("the terminal is asked: %q", out.String())
	}
}

func without(environ []string, name string) []string {
	var out []string
	for _, e := range environ {
		if !strings.HasPrefix(e, name+"=") {
			out = append(out, e)
		}
	}
	return out
}
