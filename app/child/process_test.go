//go:build unix

package child_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kubarium/app/child"
)

// mustBegin starts a shell that is apart, and returns the first line that it prints.
func mustBegin(t *testing.T, script string) (p *child.Process, line string) {
	t.Helper()
	out, in := io.Pipe()
	p, err := child.Begin([]string{"sh", "-c", script}, os.Environ(), child.Streams{Out: in, Errs: in}, true)
	if err != nil {
		t.Fatal(err)
	}
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, out)
	return p, strings.TrimSpace(line)
}

// gone waits until a process has ended.
func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 6000 {
		status, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if syscall.Kill(n, 0) != nil || err == nil && strings.Contains(string(status), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s still runs", pid)
}

// A command that is interrupted ends with the code that it chooses; its children are interrupted as well.
func TestProcess_interrupt(t *testing.T) {
	p, pid := mustBegin(t, `sleep 600 & trap 'exit 9' INT; echo $!; wait`)
	if ended, _ := p.Code(); ended {
		t.Fatal("it has ended")
	}
	p.Interrupt()
	p.Await(nil)
	if ended, code := p.Code(); !ended || code != 9 {
		t.Errorf("%t %d", ended, code)
	}
	gone(t, pid)
}

// A command that takes no interrupt is killed after its grace, or sooner where there is hurry, with its children.
func TestProcess_killed(t *testing.T) {
	defer child.SetGrace(200 * time.Millisecond)()
	hurry := make(chan struct{})
	close(hurry)
	for name, c := range map[string]<-chan struct{}{"after its grace": nil, "in a hurry": hurry} {
		p, pid := mustBegin(t, `trap '' INT; sleep 600 & echo $!; wait; sleep 600`)
		p.Interrupt()
		p.Await(c)
		if ended, code := p.Code(); !ended || code != 128+9 {
			t.Errorf("%s: %t %d", name, ended, code)
		}
		gone(t, pid)
	}
}

// Processes that a command leaves behind go on until Await.
func TestProcess_left(t *testing.T) {
	p, pid := mustBegin(t, `sleep 600 >/dev/null 2>&1 & echo $!; exit 5`)
	<-p.Ended()
	if _, code := p.Code(); code != 5 {
		t.Errorf("code %d", code)
	}
	n, _ := strconv.Atoi(pid)
	if err := syscall.Kill(n, 0); err != nil {
		t.Errorf("what it left has ended: %v", err)
	}
	p.Await(nil)
	gone(t, pid)
}

// KillAll ends the commands and their children.
func TestKillAll(t *testing.T) {
	p, pid := mustBegin(t, `trap '' INT; sleep 600 & echo $!; wait`)
	child.KillAll()
	<-p.Ended()
	gone(t, pid)
}

// A file of output is private and named by time and command. The last 10 stay, with their recordings.
func TestCreateOutput(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "runs")
	now := time.Date(2026, 11, 24, 20, 50, 6, 0, time.Local)
	var names []string
	for i := range 12 {
		f, err := child.CreateOutput(folder, []string{"/usr/bin/my tool*", "-v"}, now.Add(time.Duration(i)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		names = append(names, f.Name())
		if err := os.Chtimes(f.Name(), now, now.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(child.RecordingsOf(f.Name()), "one"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if base := filepath.Base(names[0]); !strings.HasPrefix(base, "20261124-205006-my-tool--") {
		t.Errorf("it is called %s", base)
	}
	all, err := child.Files(folder, "*.log")
	if err != nil || !slices.Equal(all, names[2:]) {
		t.Errorf("%v %v", all, err)
	}
	if _, err := os.Stat(child.RecordingsOf(names[1])); !os.IsNotExist(err) {
		t.Errorf("the recordings of a file that is gone: %v", err)
	}
	if s, err := os.Stat(names[11]); err != nil || s.Mode() != 0o600 {
		t.Errorf("%v %v", s, err)
	}
}

func TestTail(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.log")
	long := strings.Repeat("x", 100<<10)
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"a", "a"}, {"a\n", "a"}, {"a\nb", "a\nb"}, {"a\nb\nc\n", "b\nc"}, {"\n\na\n\n\n", "\na"},
		{long + "\na\nb\n", "a\nb"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := child.Tail(file, 2); err != nil || string(got) != c.want {
			t.Errorf("%.20q: %q %v, want %q", c.text, got, err, c.want)
		}
	}
}
