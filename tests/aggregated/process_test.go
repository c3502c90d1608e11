package aggregated_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program/programtest"
	"kubarium/etcdstore/etcdtest"
)

// A process is a program that runs during the test.
type process struct {
	cmd    *exec.Cmd
	output *lockedBuffer
	done   chan struct{}
}

// run starts a program, which is killed when the test ends, and waits until the address answers with status 200.
func run(t *testing.T, ready string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, output: new(lockedBuffer), done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = cmd.Wait() // it is killed at the end, so its error means nothing
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, p.output.tail())
		}
	})
	p.await(t, ready)
	return p
}

// stop kills the process and waits for its end.
func (p *process) stop() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
}

// insecure is a client that checks whether a server answers, not its identity.
var insecure = &http.Client{Timeout: 5 * time.Second,
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}

// await waits until the process is ready.
func (p *process) await(t *testing.T, url string) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		resp, err := insecure.Get(url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-p.done:
			t.Fatalf("%s has ended:\n%s", p.cmd.Path, p.output.tail())
		default:
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("%s is not ready: %v\n%s", p.cmd.Path, err, p.output.tail())
		}
	}
}

// freePort returns a port without a listener.
func freePort(t *testing.T) string {
	_, port, err := net.SplitHostPort(programtest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// build builds a program of the module servers, or finds it in the build cache, and returns its path.
func build(ctx context.Context, name string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", name)
	cmd.Dir = "servers"
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, errs.String())
	}
	path := strings.TrimSpace(string(out))
	_, err = os.Stat(path)
	return path, err
}

// sampleAPIServer is the program to build.
const sampleAPIServer = "k8s.io/sample-apiserver"

// A sample is a sample-apiserver with its own address.
type sample struct {
	program string
	etcd    string // its address
	port    string
	files
	process *process
}

// newSample builds one, and runs an etcd for it.
func newSample(t *testing.T) *sample {
	t.Helper()
	if testing.Short() {
		t.Skip("building sample-apiserver and etcd takes some minutes")
	}
	program, err := build(t.Context(), sampleAPIServer)
	if err != nil {
		t.Fatal(err)
	}
	return &sample{program: program, etcd: etcdtest.Start(t, 1).Endpoints()[0], port: freePort(t),
		files: certify(t, "sample-api.wardle.svc")}
}

// run runs it for a server, with the account of the token, or without one.
func (s *sample) run(t *testing.T, server, token string) {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{kind: Config, apiVersion: v1, current-context: c, clusters: [{name: c, cluster: {server: "%s"}}],
users: [{name: u, user: {token: "%s"}}], contexts: [{name: c, context: {cluster: c, user: u}}]}`, server, token)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.process = run(t, "https://127.0.0.1:"+s.port+"/readyz", exec.Command(s.program, "--etcd-servers", s.etcd,
		"--bind-address", "127.0.0.1", "--secure-port", s.port, "--tls-cert-file", s.certificate,
		"--tls-private-key-file", s.key,
		"--kubeconfig", kubeconfig, "--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig",
		kubeconfig))
}

// A lockedBuffer is the output of a process. It is safe for concurrent use.
type lockedBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// tail is the end of it.
func (b *lockedBuffer) tail() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.text.String()
	return all[max(0, len(all)-4000):]
}
