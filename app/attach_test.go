package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// An attached is a UI in plain words that runs in this process.
type attached struct {
	t    *testing.T
	in   *io.PipeWriter
	code chan int

	mu        sync.Mutex
	out, errs bytes.Buffer
}

func (a *attached) write(to *bytes.Buffer) io.Writer { return lockedWriter{&a.mu, to} }

type lockedWriter struct {
	mu *sync.Mutex
	to *bytes.Buffer
}

func (l lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(b)
}

// attachTo attaches to what the arguments name, and waits until the UI shows it.
func attachTo(t *testing.T, args ...string) *attached {
	t.Helper()
	a := startAttach(t, args...)
	a.await("Attached to ")
	return a
}

func startAttach(t *testing.T, args ...string) *attached {
	t.Helper()
	return startPlain(t, append([]string{"attach"}, args...)...)
}

// startPlain runs a UI that prints sentences.
func startPlain(t *testing.T, args ...string) *attached {
	t.Helper()
	in, keys := io.Pipe()
	a := &attached{t: t, in: keys, code: make(chan int, 1)}
	go func() {
		a.code <- app.Main(append(args, "--plain"), in, a.write(&a.out), a.write(&a.errs))
	}()
	t.Cleanup(func() { keys.Close() })
	return a
}

func (a *attached) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.String() + a.errs.String()
}

// await waits until the UI has said something.
func (a *attached) await(text string) {
	a.t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(a.text(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			a.t.Fatalf("it does not say %q, but\n%s", text, a.text())
		}
	}
}

// types sends a line.
func (a *attached) types(line string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// leave types quit.
func (a *attached) leave() {
	a.t.Helper()
	a.types("quit")
	if code := <-a.code; code != 0 {
		a.t.Errorf("code %d: %s", code, a.text())
	}
}

// askMap asks for a ConfigMap that is not there.
func askMap(t *testing.T, server, name string) {
	t.Helper()
	programtest.MustCall(t, 404, "GET", server+"/api/v1/namespaces/default/configmaps/"+name, "", "")
}

// The UI shows a server that somebody else has started: what was before it, what comes, that the server is gone, and that another run
// has begun. The server is changed by none of that, and goes on behind it.
func TestMain_attach(t *testing.T) {
	sessionFolder(t)
	c := announcing(t, "serve")
	c.Listen = programtest.FreeAddress(t)
	p := programtest.MustStartConfig(t, c)
	askMap(t, p.URL, "before")
	head, _ := p.Log.Head()
	a := attachTo(t, "--wait")
	a.await("are not printed; show NUMBER prints one")
	flows, _ := p.Log.Since(0, 0)
	before := slices.IndexFunc(flows, func(f *flow.Flow) bool { return strings.HasSuffix(f.Path, "/before") })
	a.types(fmt.Sprintf("show %d", flows[before].Seq))
	a.await("go1 tried to read configmap before.")
	askMap(t, p.URL, "while")
	a.await("configmaps/while")
	a.leave()
	if after, _ := p.Log.Head(); after != head {
		t.Errorf("the head went from %d to %d", head, after)
	}
	flows, _ = p.Log.Since(0, 0)
	for _, f := range flows {
		if !f.Client.Own() && !strings.Contains(f.Path, "/configmaps") {
			t.Errorf("%s %s by %q is shown", f.Method, f.Path, f.Client.UserAgent)
		}
	}
	a = attachTo(t, p.URL)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	a.await("the server is gone (it has ended); what it did stays here")
	programtest.MustStartConfig(t, c)
	a.await("the server has started again; what is here is of its earlier run")
	a.leave()
}

// A connection that breaks is taken up again: nothing is missed, and nothing is told twice.
func TestMain_attach_reconnects(t *testing.T) {
	sessionFolder(t)
	p := programtest.MustStartConfig(t, announcing(t, "serve"))
	to, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	between := httptest.NewServer(proxy)
	t.Cleanup(between.Close)
	t.Cleanup(between.CloseClientConnections)
	a := attachTo(t, strings.TrimPrefix(between.URL, "http://"))
	a.await("are not printed")
	askMap(t, p.URL, "first")
	a.await("configmaps/first")
	for _, name := range []string{"second", "third"} {
		again := strings.Count(a.text(), "connected to the server again")
		between.CloseClientConnections()
		askMap(t, p.URL, name)
		a.await("configmaps/" + name)
		if strings.Count(a.text(), "connected to the server again") == again {
			a.await("connected to the server again")
		}
	}
	a.leave()
	for _, name := range []string{"first", "second", "third"} {
		if n := strings.Count(a.text(), "configmaps/"+name); n != 1 {
			t.Errorf("%s is told %d times:\n%s", name, n, a.text())
		}
	}
	if strings.Contains(a.text(), "missed") {
		t.Errorf("%s", a.text())
	}
}

// A server as envtest starts one is found, and is shown without a kubeconfig; with one of somebody who may not look, it is not.
func TestMain_attach_envtest(t *testing.T) {
	sessionFolder(t)
	c := httpsOnly(t)
	c.Controllers = controllers.List{}
	p := programtest.MustStartConfig(t, c)
	a := attachTo(t)
	a.await(p.URL)
	if _, err := io.WriteString(a.in, "status\n"); err != nil {
		t.Fatal(err)
	}
	a.leave()
	nobody := filepath.Join(t.TempDir(), "nobody")
	mustRun(t, "kubeconfig", "--out", nobody, "--db", c.DB, "--server", p.Secure, "--user", "eve")
	if code, out, errs := run("attach", "--plain", "--kubeconfig", nobody); code != 1 || out != "" || !strings.Contains(errs, "does not show its run to you (403 Forbidden)") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if !c.Modes.Has(authz.ModeRBAC) {
		t.Error("everybody may look")
	}
}

// The server of a suite that has not started yet is waited for.
func TestMain_attach_waits(t *testing.T) {
	sessionFolder(t)
	a := startAttach(t, "--wait")
	p := programtest.MustStartConfig(t, announcing(t, "apitest"))
	a.await("Attached to " + p.URL)
	a.leave()
}

// What cannot be attached to is said in one line.
func TestMain_attach_errors(t *testing.T) {
	sessionFolder(t)
	if code, out, errs := run("attach"); code != 1 || out != "" || !strings.HasPrefix(errs, "kubarium: no server is running") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	first, second := programtest.MustStartConfig(t, announcing(t, "serve")), programtest.MustStartConfig(t, announcing(t, "ui"))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--plain"}, 2, "2 servers are running; say which: " + first.URL + " (serve"},
		{nil, 2, second.URL + " (ui"},
		{[]string{first.URL}, 2, "attach needs a terminal (or --plain)"},
		{[]string{"--plain", other.URL}, 1, "is not a Kubarium that can be attached to"},
		{[]string{"--plain", "http://127.0.0.1:1"}, 1, "no server answers at http://127.0.0.1:1"},
		{[]string{"--plain", "127.0.0.1:1"}, 1, "no server answers at http://127.0.0.1:1"},
		{[]string{"--plain", "http://[x"}, 2, "missing ']' in host"},
		{[]string{first.URL, second.URL}, 2, "unexpected argument"},
		{[]string{"--wait", first.URL}, 2, "--wait is for whichever server starts"},
		{[]string{"--theme", "drak"}, 2, "did you mean dark?"},
	} {
		code, out, errs := run(append([]string{"attach"}, c.args...)...)
		if code != c.code || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d %q %q, want %d and one line with %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// At a terminal, one of several is chosen by its number; what is typed behind that is left for the UI.
func TestChoose(t *testing.T) {
	sessionFolder(t)
	programtest.MustStartConfig(t, announcing(t, "serve"))
	second := programtest.MustStartConfig(t, announcing(t, "ui"))
	var out bytes.Buffer
	in := strings.NewReader("\n3\nx\n0\n2\nq")
	if chosen, err := app.Choose(in, &out); err != nil || chosen != second.URL {
		t.Errorf("%q %v", chosen, err)
	}
	if left, _ := io.ReadAll(in); string(left) != "q" {
		t.Errorf("%q is left", left)
	}
	if s := out.String(); strings.Count(s, "Attach to which, 1 to 2? ") != 5 || !strings.Contains(s, "  2  "+second.URL+"  ui") {
		t.Errorf("%s", s)
	}
	if _, err := app.Choose(strings.NewReader(""), &out); err == nil {
		t.Error("nothing was chosen")
	}
}
