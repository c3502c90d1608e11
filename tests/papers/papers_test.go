//go:build unix

package papers_test

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/tests/e2e"
	"kubarium/tests/papers"
)

var pictures = flag.Bool("pictures", false, "draw docs/pictures again, from the run of the pages")

// address is where kubectl looks without a configuration, so that is where the pages' servers listen.
const address = "127.0.0.1:8080"

// A look is what a page promises to the reader's eyes after a block.
type look struct {
	keys    string
	see     string
	picture string // of docs/pictures; "" is none
}

// looks are by page, and by the beginning of the block.
var looks = map[string]map[string][]look{
	"README.md": {
		"kubectl get namespaces":    {{"\r", "namespaces", ""}},
		"kubectl create deployment": {{"", "deployments", ""}, {"]", "headers", ""}, {"[", "created a deployment", ""}},
		"kubectl scale":             {{"2", "MODIFIED", "watches"}},
		"kubectl get deployment":    {{"1", "409", "traffic"}, {"5", "season", "conflicts"}},
		"kubectl patch": {{"6", "example.com/a", "deletes"}, {"{", "PAST", ""}, {"G", "LIVE", ""},
			{"4", "deployments.apps/web", "versions"}, {"7", "deployments", ""}, {"8", "The road", "learn"}},
		"go run . scenario": {{"/lost\r", "narrow", ""}, {"\r", "Two writers and a lost update", ""},
			{" ", "One object that two people", ""}, {" ", "the version in the answer", "lesson"}},
	},
	"run.md": {
		"kubectl create namespace team": {{"", "PodSecurity", "guards"}},
	},
}

// TestPages runs the shell blocks of README.md and of the pages in docs.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		if os.Getenv("PAPERS") == "must" { // as .ci/run says
			t.Fatal("another program listens on ", address)
		}
		t.Skip("another program listens on ", address)
	}
	bin := programs(t, root)
	for _, page := range pages(t) {
		name := strings.TrimPrefix(filepath.ToSlash(page), "../../")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := papers.Parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			read(t, root, bin, filepath.Base(page), blocks)
		})
	}
}

// programs returns a folder with kubectl, kubarium, and a go that works in the clone. go run keeps what it has linked,
// so that README's "go run ." is quick.
func programs(t *testing.T, root string) string {
	bin := t.TempDir()
	if err := os.Symlink(e2e.FindKubectl(t), filepath.Join(bin, "kubectl")); err != nil {
		t.Fatal(err)
	}
	link := exec.Command("go", "run", "-C", root, "-exec", "cp", ".", filepath.Join(bin, "kubarium"))
	if out, err := link.CombinedOutput(); err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	golang, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\ncd '%s' && exec '%s' \"$@\"\n", root, golang)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return bin
}

// A reader types the blocks of one page.
type reader struct {
	dir     string
	env     []string
	screens []*screen // of the commands that keep running; the first is the server's
}

// read runs a page's blocks, and looks at what they promise.
func read(t *testing.T, root, bin, page string, blocks []papers.Block) {
	dir := t.TempDir()
	r := &reader{dir: dir, env: environment(t, bin, dir)}
	for _, b := range blocks {
		name := fmt.Sprintf("%s:%d", page, b.Line)
		if page == "README.md" && b.Skip != "" && b.Skip != "recursion" {
			t.Fatalf("%s: README's five minutes skip nothing", name)
		}
		if why := skipped(b); why != "" {
			t.Logf("%s: skipped: %s", name, why)
			continue
		}
		if page != "README.md" && r.screens == nil {
			r.keep(t, "kubarium --no-intro")
		}
		if b.KeepsRunning {
			r.keep(t, b.Text)
			continue
		}
		if out, err := r.command(t, b.Text).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s%s\n%s", name, err, b.Text, out, r.screens[0])
		}
		for begin, ls := range looks[page] {
			if strings.HasPrefix(b.Text, begin) {
				for _, l := range ls {
					lookAt(t, root, r.screens[0], l)
				}
			}
		}
	}
	for _, s := range r.screens {
		select {
		case err := <-s.ended:
			t.Errorf("a command that should run on has ended: %v\n%s", err, s)
			s.ended <- err
		default:
		}
	}
}

// skipped says why a block is not run; "" if it is.
func skipped(b papers.Block) string {
	for _, name := range b.Needs {
		if _, err := exec.LookPath(name); err != nil {
			return "there is no " + name
		}
	}
	return b.Skip
}

func (r *reader) command(t *testing.T, text string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", text)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.dir, r.env, 10*time.Second // for what a block leaves running
	return cmd
}

// keep starts a command that keeps running, in a terminal of its own, and waits until it shows something. The first one
// is a server.
func (r *reader) keep(t *testing.T, text string) {
	s := mustRun(t, r.command(t, text))
	r.screens = append(r.screens, s)
	if len(r.screens) == 1 {
		awaitServer(t, s)
	}
	s.await(t, "anything", func(shown string) bool { return strings.TrimSpace(shown) != "" })
}

// lookAt presses keys, and waits for what they show.
func lookAt(t *testing.T, root string, s *screen, l look) {
	t.Helper()
	for _, key := range strings.Split(l.keys, "") {
		if _, err := s.keyboard.Write([]byte(key)); err != nil {
			t.Fatal(err)
		}
		s.rest(100 * time.Millisecond)
	}
	s.see(t, l.see)
	if !*pictures || l.picture == "" {
		return
	}
	s.rest(time.Second)
	file := filepath.Join(root, "docs", "pictures", l.picture+".svg")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(s.svg()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// environment is that of a reader who has just come: an empty home, no kubeconfig.
func environment(t *testing.T, bin, dir string) []string {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS").Output()
	if err != nil {
		t.Fatal(err)
	}
	golang := strings.Split(string(out), "\n")
	return append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+dir,
		"XDG_DATA_HOME=", "XDG_RUNTIME_DIR="+dir, "KUBECONFIG="+os.DevNull,
		"GOCACHE="+golang[0], "GOMODCACHE="+golang[1], "GOPROXY="+golang[2], "GOFLAGS="+golang[3],
		"TERM=xterm-256color", "COLORTERM=", "NO_COLOR=", "TMUX=", "SSH_CONNECTION=", "CI=", "LANG=C.UTF-8", "LC_ALL=")
}

// awaitServer waits until the page's server answers.
func awaitServer(t *testing.T, s *screen) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return
		}
		if len(s.ended) > 0 || time.Now().After(deadline) {
			t.Fatalf("no server on %s:\n%s", address, s)
		}
	}
}
