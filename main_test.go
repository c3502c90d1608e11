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

// No package imports text/template, also not by html/template: its templates call methods by name, and then the linker
// keeps every method of every type, which is a fifth of the binary.
func TestMain_NoTemplates(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", "kubarium").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := false
	for line := range strings.Lines(string(out)) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		seen = seen || name == "kubarium/app/book"
		if strings.HasPrefix(name, "kubarium") && strings.Contains(imports, "/template") {
			t.Errorf("%s imports a package of templates", name)
		}
	}
	if !seen {
		t.Error("packages of the program are not listed")
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
