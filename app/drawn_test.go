package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"kubarium/app/running"
)

// A tty is a terminal of 120x36. It outlives the programs that are started on it.
type tty struct {
	t        testing.TB
	ptm, pts *os.File
	view     vt10x.Terminal
}

func newTTY(t testing.TB) *tty {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	t.Cleanup(func() { _, _ = pts.Close(), ptm.Close() })
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: 120, Rows: 36}); err != nil {
		t.Fatal(err)
	}
	y := &tty{t, ptm, pts, vt10x.New(vt10x.WithSize(120, 36))}
	go func() { _, _ = io.Copy(&wholeRunes{to: y.view}, ptm) }()
	return y
}

// keys presses keys; nobody waits for what they do.
func (y *tty) keys(s string) {
	y.t.Helper()
	if _, err := io.WriteString(y.ptm, s); err != nil {
		y.t.Fatal(err)
	}
}

// see waits until the screen shows a text.
func (y *tty) see(want string) {
	y.t.Helper()
	for range 3000 {
		if strings.Contains(y.view.String(), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	y.t.Fatalf("the screen does not show %q:\n%s", want, y.view.String())
}

// A drawn is the built binary with its UI on a terminal.
type drawn struct {
	tty   *tty
	url   string
	pid   int
	cmd   *exec.Cmd
	ended chan error // what it ended with
}

// mustShow starts the binary as a person does, and waits until it tells programs where it serves. What it keeps for its user is beside the
// database.
func mustShow(y *tty, binary, db string, more ...string) *drawn {
	y.t.Helper()
	dir := filepath.Dir(db)
	cmd := exec.Command(binary, append([]string{"--no-intro", "--listen", "127.0.0.1:0", "--db", db}, more...)...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=", "TMUX=", "XDG_DATA_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = y.pts, y.pts, y.pts
	if err := cmd.Start(); err != nil {
		y.t.Fatal(err)
	}
	s := &drawn{tty: y, pid: cmd.Process.Pid, cmd: cmd, ended: make(chan error, 1)}
	go func() { s.ended <- cmd.Wait() }()
	for range 6000 {
		if s.url = announced(dir, s.pid); s.url != "" {
			return s
		}
		select {
		case err := <-s.ended:
			y.t.Fatalf("the program has ended: %v\n%s", err, y.view.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = cmd.Process.Kill()
	y.t.Fatalf("the program does not serve:\n%s", y.view.String())
	return nil
}

// announced is where a process says that it serves, "" until it does.
func announced(dir string, pid int) string {
	files, _ := filepath.Glob(filepath.Join(dir, "kubarium", fmt.Sprint(pid, "-*")))
	for _, f := range files {
		var server running.Server
		text, err := os.ReadFile(f)
		if err == nil && json.Unmarshal(text, &server) == nil {
			return server.URL
		}
	}
	return ""
}

// stop ends the program in good order.
func (s *drawn) stop() {
	s.tty.t.Helper()
	_ = s.cmd.Process.Signal(os.Interrupt)
	if err := <-s.ended; err != nil {
		s.tty.t.Errorf("the program ended with %v:\n%s", err, s.tty.view.String())
	}
}

// kill ends it as a system does that has no memory left.
func (s *drawn) kill() {
	s.tty.t.Helper()
	_ = s.cmd.Process.Kill()
	if err := <-s.ended; err == nil {
		s.tty.t.Error("the program had ended before it was killed")
	}
}
