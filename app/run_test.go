//go:build unix

package app_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"kubarium/app"
	"kubarium/app/program/programtest"
)

// runTest names the environment variable by which the tests' own binary becomes a command of "kubarium run", or
// Kubarium itself, whose arguments come after "--".
const runTest = "KUBARIUM_RUN_TEST"

// commandOf is the command line of a command.
func commandOf(what string) []string {
	return []string{"env", runTest + "=" + what, os.Args[0], "-test.run", "^TestRun_child$"}
}

// TestRun_child is what runTest says.
func TestRun_child(t *testing.T) {
	interrupted := make(chan os.Signal, 1)
	switch os.Getenv(runTest) {
	case "kubarium":
		os.Exit(app.Main(os.Args[slices.Index(os.Args, "--")+1:], os.Stdin, os.Stdout, os.Stderr))
	case "order":
		for i := range 25 {
			fmt.Fprintln([]*os.File{os.Stdout, os.Stderr}[i%2], "line", i)
		}
		os.Exit(7)
	case "serve": // an API server of its own, as a suite on envtest has
		programtest.MustStart(t, "off")
		os.Exit(0)
	case "controller":
		signal.Notify(interrupted, os.Interrupt)
	case "stubborn":
		signal.Ignore(os.Interrupt)
	default:
		t.Skip("not a command of another test")
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.UserAgent = "manager/v1"
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "by-command"}}
	if _, err := maps.Create(t.Context(), one, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	sleeper := exec.Command("sleep", "600")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Println("sleeper", sleeper.Process.Pid)
	<-interrupted
	fmt.Println("interrupted")
	os.Exit(4)
}

// A safeBuffer is written by a process while a test reads it.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Without a terminal the command reads and writes as it is, and its exit code is that of kubarium.
func TestRun_code(t *testing.T) {
	sessionFolder(t)
	for _, c := range []struct {
		script    string
		code      int
		out, errs string
	}{
		{"cat; echo out; echo err >&2", 0, "inout\n", "err\n"},
		{"exit 7", 7, "", ""},
		{"kill -TERM $$", 128 + 15, "", ""},
		{"echo $KUBECONFIG; test -s $KUBECONFIG", 0, "/kubeconfig\n", ""},
		{"ls $KUBEBUILDER_ASSETS/kube-apiserver; echo ${KUBARIUM_RECORD-none}", 0, "kube-apiserver\nnone\n", ""},
	} {
		var out, errs bytes.Buffer
		args := []string{"run", "--listen", "127.0.0.1:0", "--", "sh", "-c", c.script}
		code := app.Main(args, strings.NewReader("in"), &out, &errs)
		if code != c.code || !strings.HasSuffix(out.String(), c.out) || errs.String() != c.errs {
			t.Errorf("%s: code %d, stdout %q, stderr %q", c.script, code, &out, &errs)
		}
	}
}

// What makes no sense is said in one line, before a server starts; a server that cannot start ends with 1.
func TestRun_misuse(t *testing.T) {
	sessionFolder(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for line, want := range map[string]string{
		"run":                                "a command must follow --: kubarium run -- COMMAND [ARGUMENT...]",
		"run --":                             "a command must follow --: kubarium run -- COMMAND [ARGUMENT...]",
		"run make test":                      `unexpected argument "make"; put the command after --`,
		"run make -- test":                   `unexpected argument "make"; put the command after --`,
		"run -- nosuchcommand":               `"nosuchcommand" cannot be run: executable file not found in $PATH`,
		"run -- /etc/passwd":                 `"/etc/passwd" cannot be run: permission denied`,
		"run --scenario lost-update -- true": "unknown flag --scenario",
		"run --memory 1 -- true":             "--memory must be 1Mi to 64Gi, not 1",
		"run --fps 0 -- true":                "--fps must be 1 to 120, not 0",
		"run --plain --listen= -- true":      "the UI needs the plain port: say --listen, or use kubarium serve",
	} {
		if code, out, errs := run(strings.Fields(line)...); code != 2 || out != "" || errs != "kubarium: "+want+"\n" {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want %q", line, code, out, errs, want)
		}
	}
	code, out, errs := run("run", "--listen", taken.Addr().String(), "--", "echo", "started")
	if code != 1 || out != "" || !strings.Contains(errs, "port in use") || strings.Count(errs, "\n") != 1 {
		t.Errorf("code %d, stdout %q, stderr %q", code, out, errs)
	}
}

// mustRunKubarium starts Kubarium in a process of its own.
func mustRunKubarium(t *testing.T, set func(*exec.Cmd), args ...string) (cmd *exec.Cmd, ended chan int) {
	t.Helper()
	cmd = exec.Command(os.Args[0], append([]string{"-test.run", "^TestRun_child$", "--"}, args...)...)
	cmd.Env = append(os.Environ(), runTest+"=kubarium", "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=", "TMUX=")
	set(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended = make(chan int, 1)
	go func() {
		_ = cmd.Wait()
		ended <- cmd.ProcessState.ExitCode()
	}()
	return cmd, ended
}

// await returns the exit code.
func await(t *testing.T, ended chan int) int {
	t.Helper()
	select {
	case code := <-ended:
		return code
	case <-time.After(time.Minute):
		t.Fatal("kubarium does not end")
		return 0
	}
}

var sleepers = regexp.MustCompile(`sleeper (\d+)`)

// checkGone waits until the process that a command says to have started has ended.
func checkGone(t *testing.T, output string) {
	t.Helper()
	pid := sleepers.FindStringSubmatch(output)
	if pid == nil {
		t.Fatalf("the command started nothing: %s", output)
	}
	programtest.Eventually(t, "the end of what the command started", func() bool {
		state, err := os.ReadFile(filepath.Join("/proc", pid[1], "stat"))
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}

// A SIGTERM interrupts the command, whose code is kubarium's; the second one kills it, with what it has started.
func TestRun_signals(t *testing.T) {
	sessionFolder(t)
	for what, want := range map[string]int{"controller": 4, "stubborn": 1} {
		out := &safeBuffer{}
		args := append([]string{"run", "--listen", "127.0.0.1:0", "--"}, commandOf(what)...)
		cmd, ended := mustRunKubarium(t, func(c *exec.Cmd) { c.Stdout, c.Stderr = out, out }, args...)
		programtest.Eventually(t, "the start of the command", func() bool { return sleepers.MatchString(out.String()) })
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if what == "stubborn" {
			programtest.Eventually(t, "a word about the wait", func() bool {
				return strings.Contains(out.String(), "kubarium: waiting for the command to end; Ctrl-C kills it\n")
			})
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
		if code := await(t, ended); code != want {
			t.Errorf("%s: code %d, want %d: %s", what, code, want, out.String())
		}
		checkGone(t, out.String())
	}
}

// On a terminal the command writes to a file, in order, and is shown until it is left: q asks, and ends the command and
// the server. ^C does not reach the command.
func TestRun_screen(t *testing.T) {
	sessionFolder(t)
	y := newTTY(t)
	onTTY := func(c *exec.Cmd) {
		c.Stdin, c.Stdout, c.Stderr = y.pts, y.pts, y.pts
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	record := filepath.Join(t.TempDir(), "run.kubarium")
	command := func(what string, flags ...string) []string {
		flags = append([]string{"run", "--no-intro", "--listen", "127.0.0.1:0"}, flags...)
		return append(append(flags, "--"), commandOf(what)...)
	}
	cmd, ended := mustRunKubarium(t, onTTY, command("controller", "--record", record)...)
	y.see("by-command")
	url := announced(os.Getenv("XDG_RUNTIME_DIR"), cmd.Process.Pid)
	programtest.MustCall(t, 200, "GET", url+"/api/v1/namespaces/default/configmaps/by-command", "", "")
	y.keys("\x03")
	y.see("^c once more quits and ends the command and the API server; q asks")
	y.keys("q")
	y.see("quit: end the command and the server")
	if text := outputOf(t); strings.Contains(text, "interrupted") {
		t.Errorf("^C has reached the command: %s", text)
	}
	y.keys("q")
	if code := await(t, ended); code != 4 {
		t.Errorf("code %d", code)
	}
	y.see("kubarium: the command has ended with code 4; its output is in ")
	y.see("interrupted")
	checkGone(t, outputOf(t))
	flows := mustRun(t, "export", record, "--format", "jsonl", "--filter", "who:run")
	if !strings.Contains(flows, `"userAgent":"manager/v1"`) || strings.Contains(flows, "Go-http-client") {
		t.Errorf("the requests of the command are %.2000s", flows)
	}

	_, ended = mustRunKubarium(t, onTTY, command("order")...)
	y.see("the command has ended with code 7; q quits")
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprintln("line", i))
	}
	if text := outputOf(t); text != strings.Join(want, "") {
		t.Errorf("the output is %q", text)
	}
	y.keys("q")
	if code := await(t, ended); code != 7 {
		t.Errorf("code %d", code)
	}
	y.see("line 5 ")
	if strings.Contains(y.view.String(), "line 4 ") {
		t.Errorf("more than the last lines:\n%s", y.view.String())
	}
}

// d closes the UI and keeps both; then ^C ends both.
func TestRun_detached(t *testing.T) {
	sessionFolder(t)
	y := newTTY(t)
	cmd, ended := mustRunKubarium(t, func(c *exec.Cmd) {
		c.Stdin, c.Stdout, c.Stderr = y.pts, y.pts, y.pts
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}, append([]string{"run", "--no-intro", "--listen", "127.0.0.1:0", "--"}, commandOf("controller")...)...)
	y.see("by-command")
	y.keys("q")
	y.see("detach: close the UI, keep both running")
	y.keys("d")
	y.see("kubarium: the UI is closed; Ctrl-C ends the command and the server")
	url := announced(os.Getenv("XDG_RUNTIME_DIR"), cmd.Process.Pid)
	programtest.MustCall(t, 200, "GET", url+"/readyz", "", "")
	if text := outputOf(t); strings.Contains(text, "interrupted") {
		t.Errorf("the command has ended: %s", text)
	}
	y.keys("\x03")
	if code := await(t, ended); code != 4 {
		t.Errorf("code %d", code)
	}
	checkGone(t, outputOf(t))
}

// In plain mode the end of the command and its own servers are told, and quit ends both.
func TestRun_plain(t *testing.T) {
	sessionFolder(t)
	out := &safeBuffer{}
	in, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"run", "--plain", "--listen", "127.0.0.1:0", "--"}, commandOf("serve")...)
	_, ended := mustRunKubarium(t, func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = in, out, out }, args...)
	for _, want := range []string{"Kubarium serves http://127.0.0.1:", "whose output is in ",
		"the command has ended with code 0; q quits"} {
		programtest.Eventually(t, want, func() bool { return strings.Contains(out.String(), want) })
	}
	fmt.Fprintln(typed, "quit")
	if code := await(t, ended); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
	if text := out.String(); !strings.Contains(text, "kubarium: its own API servers are recorded in ") {
		t.Errorf("the servers of the command are not there: %s", text)
	}
	recordings, err := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "kubarium", "runs", "*", "*.kubarium"))
	if err != nil || len(recordings) != 1 {
		t.Errorf("%v %v", recordings, err)
	}
}

// outputOf is the newest output of a command.
func outputOf(t *testing.T) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(os.Getenv("XDG_DATA_HOME"), "kubarium", "runs", "*.log"))
	if err != nil || len(all) == 0 {
		t.Fatal("there is no output ", err)
	}
	text, err := os.ReadFile(all[len(all)-1])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
