package app_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"kubarium/app/running"
)

// A shown is the built binary with its UI on a terminal of 120x36.
type shown struct {
	t     testing.TB
	cmd   *exec.Cmd
	url   string
	view  vt10x.Terminal
	ended chan struct{} // closed when the terminal has been read to its end

	mu  sync.Mutex // guards raw
	raw strings.Builder
}

// rawKept is how much of what a terminal was sent is kept, in bytes.
const rawKept = 64 << 10

// mustShow starts the binary as a person does, at a terminal, and waits until it says to programs where it serves. Its side files are
// beside the database.
func mustShow(t testing.TB, binary, db string, more ...string) *shown {
	t.Helper()
	s := &shown{t: t, view: vt10x.New(vt10x.WithSize(120, 36)), ended: make(chan struct{})}
	dir := filepath.Dir(db)
	s.cmd = exec.Command(binary, append([]string{"--no-intro", "--listen", "127.0.0.1:0", "--db", db}, more...)...)
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=", "TMUX=", "XDG_DATA_HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	began := time.Now()
	ptm, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Skip("no terminal device: ", err)
	}
	go func() {
		defer close(s.ended)
		defer ptm.Close()
		_, _ = io.Copy(io.MultiWriter(s, &wholeRunes{to: s.view}), ptm) // to the end of the process, whose side it is
	}()
	for time.Since(began) < 30*time.Second {
		if s.url = s.announced(dir); s.url != "" {
			return s
		}
		select {
		case <-s.ended:
			t.Fatalf("the program has ended: %v\n%s", s.cmd.Wait(), s.said())
		case <-time.After(5 * time.Millisecond):
		}
	}
	_ = s.cmd.Process.Kill()
	t.Fatalf("the program does not serve:\n%s", s.view.String())
	return nil
}

// announced is where the process says that it serves, "" until it does.
func (s *shown) announced(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "kubarium", "*"))
	for _, f := range files {
		var server running.Server
		text, err := os.ReadFile(f)
		if err == nil && json.Unmarshal(text, &server) == nil && server.Process.PID == s.cmd.Process.Pid {
			return server.URL
		}
	}
	return ""
}

// Write keeps the end of what the terminal was sent.
func (s *shown) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raw.Len() > rawKept {
		s.raw.Reset()
	}
	return s.raw.Write(b)
}

func (s *shown) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// stop ends the program in good order.
func (s *shown) stop() {
	s.t.Helper()
	_ = s.cmd.Process.Signal(os.Interrupt)
	<-s.ended
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the program ended with %v:\n%s", err, s.said())
	}
}

// kill ends it as the system does that has no memory left, or a machine without current.
func (s *shown) kill() {
	s.t.Helper()
	_ = s.cmd.Process.Kill()
	<-s.ended
	if err := s.cmd.Wait(); err == nil {
		s.t.Error("the program had ended before it was killed")
	}
}
