package app_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// mustRecord writes a recording.
func mustRecord(t testing.TB, write func(e *recording.Encoder) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.kubarium")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := recording.NewEncoder(f)
	if err == nil {
		err = write(e)
	}
	if err == nil {
		err = e.Close(recording.End{At: time.Now()})
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A command that reads a recording takes no more memory than its limit: it names the limit, and shows what it has read.
func TestReading_Limit(t *testing.T) {
	file := mustRecord(t, func(e *recording.Encoder) error {
		if err := e.Begin(recording.Begin{Revision: 1, Objects: true, At: time.Now()}); err != nil {
			return err
		}
		for i := range 8 {
			f := &flow.Flow{Seq: uint64(i + 1), Method: "GET", Path: "/api", Status: 200, Start: time.Now()}
			if err := e.Flow(f); err != nil {
				return err
			}
			c := recording.Change{Commit: flow.Commit{Revision: int64(i + 2), Type: flow.Created, Resource: "configmaps", Namespace: "default", Name: string(rune('a' + i))}}
			c.Value = make([]byte, 60<<20)
			if err := e.Change(&c); err != nil {
				return err
			}
		}
		return nil
	})
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20))
	const said = "reading takes at most 256 MiB of memory; GOMEMLIMIT sets another limit"
	for _, args := range [][]string{{"doctor", file}, {"export", file}, {"export", file, "--out", file + ".copy.kubarium"}} {
		code, _, errs := run(args...)
		if code != 0 || !strings.Contains(errs, said) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
	if r := mustOpen(t, file); r.Note() != "LIMIT" || !strings.Contains(r.Remark(), said) || r.Log.Stats().Flows == 0 {
		t.Errorf("open: %q, %d requests", r.Remark(), r.Log.Stats().Flows)
	}
	if code, out, errs := run("diff", file, file); code > 1 || !strings.Contains(errs, "GOMEMLIMIT") || !strings.Contains(out, "first run") {
		t.Errorf("diff: exit code %d, %s%s", code, out, errs)
	}
}

// A stranger's recording may have states of objects anywhere.
func TestOpenRun_StateAfterChange(t *testing.T) {
	at := func(rev int64, name string) *recording.Change {
		text := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"default","uid":"` + name + `"}}`
		return &recording.Change{Commit: flow.Commit{Revision: rev, Type: flow.Created, Resource: "configmaps", Namespace: "default", Name: name, At: time.Now()}, Value: []byte(text)}
	}
	r := mustOpen(t, mustRecord(t, func(e *recording.Encoder) error {
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

const convertedDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"boxes.example.com"},
	"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"boxes","singular":"box","kind":"Box"},
	"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://ADDRESS/convert"}}},
	"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
	{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`

const connectWebhook = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"w"},
	"webhooks":[{"name":"w.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://ADDRESS/admit"},
	"rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["pods/*","services/*"],"operations":["CONNECT"]}]}]}`

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
