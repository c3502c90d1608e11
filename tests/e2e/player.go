package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// builtVersion is the version for a kubectl that is built here, which it cannot know itself.
const builtVersion = "v1.37.2"

// FindKubectl returns the path of the kubectl to test with.
func FindKubectl(t testing.TB) string {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a POSIX shell")
	}
	if path := os.Getenv("KUBECTL"); path != "" {
		return path
	}
	if path, err := exec.LookPath("kubectl"); err == nil {
		return path
	}
	if testing.Short() {
		t.Skip("there is no kubectl, and building one takes a minute")
	}
	path := filepath.Join(t.TempDir(), "kubectl")
	if out, err := exec.Command("go", "build", "-ldflags", "-X k8s.io/component-base/version.gitVersion="+builtVersion,
		"-o", path, "kubarium/tests/e2e/kubectl").CombinedOutput(); err != nil {
		t.Fatalf("build kubectl: %v\n%s", err, out)
	}
	return path
}

var clientVersion = regexp.MustCompile(`v1\.(\d+)\.`)

// MinorVersion returns the minor version of kubectl: 32 for 1.32.
func MinorVersion(t *testing.T, kubectl string) int {
	out, err := exec.Command(kubectl, "version", "--client").CombinedOutput()
	if err != nil {
		t.Fatalf("%s version: %v\n%s", kubectl, err, out)
	}
	m := clientVersion.FindSubmatch(out)
	if m == nil {
		t.Fatalf("no version in %s", out)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kubectl 1.%d", n)
	return n
}

// A player runs one script's commands in its own folder.
type player struct {
	t          *testing.T
	dir        string
	env        []string
	background *output
}

// Play runs a script until its first difference, with a kubectl that gets the server by a flag.
func Play(t *testing.T, name, kubectl, where string, minor int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	script, err := Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p := newPlayer(t, script, kubectl, where)
	for _, step := range script.Steps {
		if step.Since > minor {
			continue
		}
		if why := p.do(step); why != "" {
			t.Fatalf("%s:%d: %c %s\n%s", name, step.Line, step.Mode, step.Command, why)
		}
	}
}

// newPlayer writes the script's files, and a kubectl that knows only this server.
func newPlayer(t *testing.T, script *Script, kubectl, where string) *player {
	dir, bin := t.TempDir(), t.TempDir()
	for name, content := range script.Files {
		write(t, filepath.Join(dir, name), content, 0o600)
	}
	write(t, filepath.Join(bin, "kubectl"), fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", kubectl, where), 0o700)
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "KUBECONFIG=/dev/null",
		"TMPDIR=" + t.TempDir(), "LC_ALL=C"}
	return &player{t: t, dir: dir, env: env}
}

func write(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// patience is how long '?' and '+' wait.
const patience = 15 * time.Second

// do runs one step and says what is wrong, "" if nothing is.
func (p *player) do(step Step) string {
	switch step.Mode {
	case '&':
		p.run(step.Command)
		return ""
	case '+':
		return p.await(step)
	}
	for begin := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		out, err := p.command(step.Command).CombinedOutput()
		mode := step.Mode
		why := step.Check(string(out), err != nil)
		if why == "" {
			return ""
		}
		if mode != '?' || time.Since(begin) > patience {
			return fmt.Sprintf("%s:\n%s", why, out)
		}
	}
}

func (p *player) command(line string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// run starts the background command, to be killed when the test ends.
func (p *player) run(line string) {
	p.background = new(output)
	cmd := p.command("exec " + line)
	cmd.Stdout, cmd.Stderr = p.background, p.background
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		// It runs until it is killed, so its error means nothing.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// await waits until the background command has printed the expected text.
func (p *player) await(step Step) string {
	if p.background == nil {
		return "there is no background command"
	}
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if p.background.take(step.Want[0]) {
			return ""
		}
	}
	return fmt.Sprintf("the background command does not print %q; it printed:\n%s", step.Want[0], p.background.all())
}

// An output collects the output of a command.
type output struct {
	mu    sync.Mutex // guards all below
	text  bytes.Buffer
	taken int // how much of text has been found already
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// take finds want after the last text found.
func (o *output) take(want string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := bytes.Index(o.text.Bytes()[o.taken:], []byte(want))
	if at >= 0 {
		o.taken += at + len(want)
	}
	return at >= 0
}

func (o *output) all() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
