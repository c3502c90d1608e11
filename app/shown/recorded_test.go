package shown_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kubarium/app"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/app/shown"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// mustOpen opens a recording.
func mustOpen(t testing.TB, path string) *shown.Run {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := shown.Open(ctx, path, programtest.Discard())
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := shown.Close([]*shown.Run{r}); err != nil {
			t.Error(err)
		}
	})
	return r
}

// ask asks the server of the past.
func ask(t testing.TB, r *shown.Run, method, path string) (code int, text string) {
	t.Helper()
	req, err := http.NewRequest(method, "http://past"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := shown.Options([]*shown.Run{r}).Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// A run that was recorded from its start to its end is all there: requests, frames, versions, and what each object was at any revision.
func TestOpenRun(t *testing.T) {
	c := programtest.RecordingConfig(t)
	p := programtest.MustStartConfig(t, c)
	maps := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", maps, "application/json", `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	ctx, cancel := context.WithCancel(t.Context())
	events := programtest.WatchEvents(ctx, t, maps+"?watch=true&allowWatchBookmarks=true")
	<-events
	second := programtest.MustCall(t, 200, "PATCH", maps+"/a", "application/merge-patch+json", `{"data":{"k":"2"}}`)
	programtest.MustCall(t, 409, "PUT", maps+"/a", "application/json", `{"metadata":{"name":"a","resourceVersion":"1"}}`)
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/secrets", "application/json", `{"metadata":{"name":"s"},"stringData":{"password":"not-to-be-told"}}`)
	<-events
	programtest.MustCall(t, 200, "DELETE", maps+"/a", "", "")
	<-events
	cancel()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	r := mustOpen(t, c.Record.File)
	if !errors.Is(r.Err(), io.EOF) && r.Err() != nil || r.Remark() != "" {
		t.Errorf("%v, %q", r.Err(), r.Remark())
	}
	checkSameFlows(t, p.Log, r.Log)
	var meta struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal([]byte(second), &meta); err != nil {
		t.Fatal(err)
	}
	code, text := ask(t, r, "GET", "/api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&resourceVersion="+meta.Metadata.ResourceVersion)
	if code != 200 || !strings.Contains(text, `"k":"2"`) {
		t.Errorf("at revision %s: %d %s", meta.Metadata.ResourceVersion, code, text)
	}
	if code, _ := ask(t, r, "GET", "/api/v1/namespaces/default/configmaps/a"); code != 404 {
		t.Errorf("a deleted object: %d", code)
	}
	if code, text := ask(t, r, "DELETE", "/api/v1/namespaces/default"); code != 405 || !strings.Contains(text, "recording") {
		t.Errorf("a write: %d %s", code, text)
	}
	if code, text := ask(t, r, "GET", "/api/v1/namespaces/default/secrets/s"); code != 200 || strings.Contains(text, "bm90LXRvLWJlLXRvbGQ") {
		t.Errorf("a Secret: %d %s", code, text)
	}
	data, err := os.ReadFile(c.Record.File)
	if err != nil || bytes.Contains(data, []byte("not-to-be-told")) {
		t.Error("the file has a secret", err)
	}
}

// checkSameFlows compares what two logs say of each request, but for what was under way at the end.
func checkSameFlows(t testing.TB, want, got *flow.Log) {
	t.Helper()
	all, _ := want.Since(0, 0)
	for _, f := range all {
		g := got.Get(f.Seq)
		if g == nil {
			t.Fatalf("request %d (%s %s) is missing", f.Seq, f.Method, f.Path)
		}
		if g.Method != f.Method || g.Path != f.Path || g.Status != f.Status || g.Revision != f.Revision || len(g.Effects) != len(f.Effects) || g.ResponseBody.Total != f.ResponseBody.Total ||
			len(g.Stations) != len(f.Stations) || (g.Watch == nil) != (f.Watch == nil) {
			t.Errorf("request %d: %+v, want %+v", f.Seq, g, f)
		}
		for i := range f.Effects {
			if f.Effects[i].Commit.Resource != "secrets" && !bytes.Equal(g.Effects[i].After, f.Effects[i].After) || !g.Effects[i].Commit.At.Equal(f.Effects[i].Commit.At) {
				t.Errorf("request %d: the object after it is not the same", f.Seq)
			}
		}
	}
	for _, w := range want.Watches(time.Hour) {
		for _, g := range got.Watches(flow.Forever) {
			if g.ID == w.ID && len(g.Frames()) != len(w.Frames()) {
				t.Errorf("watch %d has %d frames, want %d", w.ID, len(g.Frames()), len(w.Frames()))
			}
		}
	}
	a, _ := want.Commits(0)
	b, _ := got.Commits(0)
	if len(b) == 0 || a[len(a)-1].Revision != b[len(b)-1].Revision {
		t.Errorf("%d commits, want %d", len(b), len(a))
	}
}

// A recording that still grows is followed, its objects too.
func TestOpenRun_Follows(t *testing.T) {
	c := programtest.RecordingConfig(t)
	p := programtest.MustStartConfig(t, c)
	r := mustOpen(t, c.Record.File)
	if r.Note() != "FOLLOWING" {
		t.Errorf("%q", r.Note())
	}
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"late"},"data":{"k":"v"}}`)
	programtest.Eventually(t, "the request in the log", func() bool {
		flows, _ := r.Log.Since(0, 0)
		for _, f := range flows {
			if f.Method == "POST" && strings.HasSuffix(f.Path, "/configmaps") && f.Status == 201 && strings.Contains(string(f.RequestBody.Kept), "late") {
				return true
			}
		}
		return false
	})
	programtest.Eventually(t, "the object on the server of the past", func() bool {
		code, _ := ask(t, r, "GET", "/api/v1/namespaces/default/configmaps/late")
		return code == 200
	})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the end", func() bool { return r.Note() == "" && errors.Is(r.Err(), io.EOF) })
}

// At its limit a recording loses its oldest part and can be read as before; who follows it misses nothing.
func TestOpenRun_Limit(t *testing.T) {
	c := programtest.RecordingConfig(t)
	c.Record.Limit = 1 << 20
	p := programtest.MustStartConfig(t, c)
	r := mustOpen(t, c.Record.File)
	noise, random := make([]byte, 6000), rand.New(rand.NewPCG(1, 2))
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"c0"}}`)
	for i := range 450 {
		for j := range noise {
			noise[j] = "0123456789abcdef"[random.IntN(16)]
		}
		programtest.MustCall(t, 200, "PUT", p.URL+"/api/v1/namespaces/default/configmaps/c0", "application/json", fmt.Sprintf(`{"metadata":{"name":"c0"},"data":{"n":"%d","k":%q}}`, i, noise))
		if i%25 == 24 { // what comes at once is in one segment, however much it is
			programtest.Eventually(t, "it is recorded", func() bool {
				flows, _ := r.Log.Since(0, 0)
				n := 0
				for _, f := range flows {
					if f.Method == "PUT" && strings.HasSuffix(f.Path, "/c0") {
						n++
					}
				}
				return n > i
			})
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := os.Stat(c.Record.File)
	if err != nil || s.Size() > 1<<20+1<<19 {
		t.Errorf("%d bytes, %v", s.Size(), err)
	}
	programtest.Eventually(t, "the end", func() bool { return errors.Is(r.Err(), io.EOF) })
	flows, missed := r.Log.Since(0, 0)
	if missed.All() > 0 || len(flows) == 0 || flows[0].Seq > 3 {
		t.Errorf("who followed has %d flows from %d on and misses %v", len(flows), flows[0].Seq, missed)
	}
	late := mustOpen(t, c.Record.File)
	old, _ := late.Log.Since(0, 0)
	if len(old) == 0 || len(old) >= len(flows) || old[len(old)-1].Seq != flows[len(flows)-1].Seq {
		t.Errorf("%d flows in the file, of %d", len(old), len(flows))
	}
	for _, x := range []*shown.Run{r, late} { // a base has what is older than the file
		if code, text := ask(t, x, "GET", "/api/v1/namespaces/default/configmaps/c0"); code != 200 || !strings.Contains(text, "c0") {
			t.Errorf("the first object: %d %s", code, text)
		}
	}
	if left, err := filepath.Glob(c.Record.File + ".*"); err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
	}
}

// A server that is killed in the middle of writes leaves a recording that is whole up to a moment before.
func TestOpenRun_Killed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.kubarium")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestOpenRun_child$")
	cmd.Env = append(os.Environ(), "KUBARIUM_RECORDED_CHILD="+file)
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url := strings.Fields(string(line[:n]))[2]
	written := 0
	for begin := time.Now(); written < 20 || time.Since(begin) < 2*time.Second; written++ {
		programtest.MustCall(t, 201, "POST", url+"/api/v1/namespaces/default/configmaps", "application/json", fmt.Sprintf(`{"metadata":{"name":"c%d"}}`, written))
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	r := mustOpen(t, file)
	flows, _ := r.Log.Since(0, 0)
	creates := 0
	for _, f := range flows {
		if f.Target.Verb == "create" && f.Target.Resource == "configmaps" && f.Target.Namespace == "default" && !f.Client.Own() {
			if len(f.Effects) != 1 || len(f.Effects[0].After) == 0 {
				t.Fatalf("request %d has no effect", f.Seq)
			}
			creates++
		}
	}
	if creates == 0 || creates > written {
		t.Errorf("%d creates of %d", creates, written)
	}
	t.Logf("%d of %d creates were recorded", creates, written)
	code, _ := ask(t, r, "GET", fmt.Sprintf("/api/v1/namespaces/default/configmaps/c%d", creates-1))
	if code != 200 {
		t.Errorf("the last object: %d", code)
	}
	programtest.Eventually(t, "that the file grows no more", func() bool { return r.Note() == "CUT" && strings.Contains(r.Remark(), "killed") })
}

// TestOpenRun_child is the server of TestOpenRun_Killed, in a process of its own.
func TestOpenRun_child(t *testing.T) {
	file := os.Getenv("KUBARIUM_RECORDED_CHILD")
	if file == "" {
		t.Skip("nobody asks for it")
	}
	app.Main([]string{"serve", "--listen", "127.0.0.1:0", "--db", ":memory:", "--record", file}, nil, os.Stdout, os.Stderr)
}

// A stranger's recording may have states of objects anywhere.
func TestOpenRun_StateAfterChange(t *testing.T) {
	at := func(rev int64, name string) *recording.Change {
		text := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default","uid":"` + name + `"}}`
		return &recording.Change{Commit: flow.Commit{Revision: rev, Type: flow.Created, Resource: "configmaps", Namespace: "default", Name: name, At: time.Now()}, Value: []byte(text)}
	}
	r := mustOpen(t, programtest.MustRecord(t, func(e *recording.Encoder) error {
		for _, write := range []func() error{
			func() error { return e.Begin(recording.Begin{Revision: 2, Objects: true, At: time.Now()}) },
			func() error { return e.State(at(1, "a")) },
			func() error { return e.Missed(recording.Missed{ChangesFrom: 2, ChangesTo: 2}) }, // a state that exceeds a limit
			func() error { return e.State(at(2, "b")) },
			func() error { return e.Change(at(3, "c")) },
			func() error { return e.State(at(4, "d")) },
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	}))
	code, text := ask(t, r, "GET", "/api/v1/namespaces/default/configmaps")
	if code != 200 || strings.Count(text, `"uid"`) != 4 {
		t.Errorf("%d %s", code, text)
	}
}

// A recording that is open calls no server, whatever addresses its objects have. What only a webhook could convert is an error that says so.
func TestOpenRun_CallsNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var calls atomic.Int64
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	c := programtest.RecordingConfig(t)
	p := programtest.MustStartConfig(t, c)
	address := strings.NewReplacer("ADDRESS", l.Addr().String())
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, address.Replace(convertedDefinition))
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", programtest.JSONType, address.Replace(connectWebhook))
	boxes := "/apis/example.com/v1/namespaces/default/boxes"
	programtest.Eventually(t, "the definition is served", func() bool { code, _ := programtest.Call(t, "GET", p.URL+boxes, "", ""); return code == 200 })
	programtest.MustCall(t, 201, "POST", p.URL+boxes, programtest.JSONType, `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"}}`)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	calls.Store(0)
	r := mustOpen(t, c.Record.File)
	for _, path := range []string{boxes, boxes + "/a"} {
		if code, text := ask(t, r, "GET", path); code != 200 || !strings.Contains(text, `"name":"a"`) {
			t.Errorf("%s: %d %s", path, code, text)
		}
		v2 := strings.Replace(path, "v1", "v2", 1)
		if code, text := ask(t, r, "GET", v2); code != 500 || !strings.Contains(text, "a recording calls no server") {
			t.Errorf("%s: %d %s", v2, code, text)
		}
	}
	for _, path := range []string{"/api", "/apis", "/openapi/v2", "/api/v1/namespaces/default/pods/p/exec?command=a", "/api/v1/namespaces/default/services/kubernetes/proxy/"} {
		if code, text := ask(t, r, http.MethodGet, path); strings.Contains(text, "connection refused") {
			t.Errorf("%s: %d", path, code)
		}
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d calls", n)
	}
}

// What is no recording, or cannot be one, is said in one line.
func TestOpenRun_Refused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("some notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := shown.Open(t.Context(), text, programtest.Discard()); !errors.Is(err, recording.ErrForeign) {
		t.Error(err)
	}
	for _, args := range [][]string{
		{"open"}, {"serve", "--record", text, "--record-limit", "1"}, {"serve", "--record-limit", "many"}, {"open", filepath.Join(dir, "nosuch")},
	} {
		if code, _, errs := run(args...); code != 2 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit %d, %s", args, code, errs)
		}
	}
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off"}
	c.Record.File = text
	if _, err := program.Start(t.Context(), c, programtest.Discard()); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Error(err)
	}
	if b, err := os.ReadFile(text); err != nil || string(b) != "some notes\n" {
		t.Errorf("the file was touched: %q %v", b, err)
	}
}

// A recording is exported whole or in part, from a server or from a file, and what reads runs reads it.
func TestExport_Recording(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "k.db"), History: time.Minute, Sync: "off"})
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", "application/json", `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	programtest.MustCall(t, 404, "GET", p.URL+"/api/v1/namespaces/default/configmaps/b", "", "")
	whole, part, copied := filepath.Join(t.TempDir(), "whole.kubarium"), filepath.Join(t.TempDir(), "part.kubarium"), filepath.Join(t.TempDir(), "copy.kubarium")
	mustRun(t, "export", "--server", p.URL, "--out", whole)
	mustRun(t, "export", whole, "--filter", "code:404", "--out", part)
	mustRun(t, "export", whole, "--own", "--out", copied)
	for path, want := range map[string]struct {
		flows, code int
		object      int
	}{whole: {2, 404, 200}, copied: {2, 404, 200}, part: {1, 404, 0}} {
		r := mustOpen(t, path)
		flows, _ := r.Log.Since(0, 0)
		if len(flows) != want.flows || flows[len(flows)-1].Status != want.code {
			t.Errorf("%s: %d requests", filepath.Base(path), len(flows))
		}
		if want.object != 0 {
			if code, text := ask(t, r, "GET", "/api/v1/namespaces/default/configmaps/a"); code != want.object || !strings.Contains(text, `"k":"1"`) {
				t.Errorf("%s: %d %s", filepath.Base(path), code, text)
			}
		}
	}
	if lines := programtest.MustReadLines(t, mustRun(t, "export", whole)); len(lines) != 2 || lines[1].Status != 404 {
		t.Errorf("as JSON Lines: %v", lines)
	}
	mustRun(t, "diff", whole, copied)
	if code, out, _ := run("diff", whole, part); code != 1 {
		t.Errorf("a part of a run does not part from it: %s", out)
	}
	if out := mustRun(t, "doctor", whole); !strings.Contains(out, "2 requests") {
		t.Errorf("doctor: %s", out)
	}
}
