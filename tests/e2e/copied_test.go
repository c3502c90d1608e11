package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/app/program"
	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/tests/e2e"
	"kubarium/tui/story"
)

// A copied is a request whose command is copied and run.
type copied struct {
	method, path, media string
	body                []byte
	header              http.Header
	reset               []string // requests before it and before the command: "DELETE /api/..."
	verb                string   // that kubectl uses, where it is another
	fails               bool     // whether kubectl is to fail, with the same answer
}

const (
	maps    = "/api/v1/namespaces/default/configmaps"
	deploys = "/apis/apps/v1/namespaces/default/deployments"
	jsonOf  = "application/json"
	web     = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`
	aMap    = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"app":"x-y"}},"data":{"k":"it's\n$HOME \u0060id\u0060 \"q\" \\ EOF\nEOF\n"}}`
)

func encoded(t *testing.T, c *codecs.Codec, o runtime.Object) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Encode(&b, o, false); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func copiedRequests(t *testing.T) map[string]copied {
	typed := &appsv1.Deployment{}
	if err := json.Unmarshal([]byte(web), typed); err != nil {
		t.Fatal(err)
	}
	config := &corev1.ConfigMap{}
	if err := json.Unmarshal([]byte(aMap), config); err != nil {
		t.Fatal(err)
	}
	options := &metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationOrphan)}
	options.Kind, options.APIVersion = "DeleteOptions", "v1"
	noWeb, noMap := []string{"DELETE " + deploys + "/web"}, []string{"DELETE " + maps + "/a"}
	aWeb, isMap := []string{"DELETE " + deploys + "/web", "POST " + deploys + " " + web},
		[]string{"DELETE " + maps + "/a", "POST " + maps + " " + aMap}
	secrets := "/api/v1/namespaces/default/secrets"
	big := `{"metadata":{"name":"a"},"data":{"k":"` + strings.Repeat("it's ", 60_000) + `"}}`
	merge := "application/merge-patch+json"
	return map[string]copied{
		"get":      {method: "GET", path: maps + "/a", reset: isMap},
		"list":     {method: "GET", path: maps + "?labelSelector=app%3Db,c+in+(d,e)&limit=500"},
		"list all": {method: "GET", path: "/api/v1/configmaps"},
		"list at version": {method: "GET", path: maps + "?resourceVersion=1000000&resourceVersionMatch=Exact",
			fails: true},
		"not found": {method: "GET", path: maps + "/none", fails: true},
		"version":   {method: "GET", path: "/version"},
		"create":    {method: "POST", path: maps, media: jsonOf, body: []byte(aMap), reset: noMap},
		"create, no kind": {method: "POST", path: maps, media: jsonOf,
			body: []byte(`{"metadata":{"name":"a"},"data":{"k":"<v>"}}`), reset: noMap},
		"create, cut": {method: "POST", path: maps, media: jsonOf, body: []byte(big), reset: noMap},
		"create, long": {method: "POST", path: maps, media: jsonOf, body: []byte(big[:100_000] + `"}}`),
			reset: noMap},
		"create, YAML": {method: "POST", path: maps, media: "application/yaml",
			body:  []byte("kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\ndata:\n  EOF: |\n    it's\t$HOME\n"),
			reset: noMap},
		"create, unknown": {method: "POST", path: maps, media: jsonOf,
			body: []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"dada":{}}`), reset: noMap},
		"create, invalid": {method: "POST", path: maps, media: jsonOf, body: []byte(`{"metadata":{"name":"A"}}`),
			fails: true},
		"create, Protobuf": {method: "POST", path: deploys, media: "application/vnd.kubernetes.protobuf",
			body: encoded(t, codecs.Protobuf, typed), reset: noWeb},
		"create, CBOR": {method: "POST", path: maps, media: "application/cbor",
			body: encoded(t, codecs.CBOR, config), reset: noMap},
		"create, dry run": {method: "POST", path: maps + "?dryRun=All&fieldManager=me", media: jsonOf,
			body: []byte(aMap), reset: noMap},
		"namespace": {method: "POST", path: "/api/v1/namespaces", media: jsonOf,
			body: []byte(`{"metadata":{"generateName":"n-"}}`)},
		"update": {method: "PUT", path: maps + "/a?fieldValidation=Strict", media: jsonOf,
			body:  []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"z":"1"}}`),
			reset: isMap},
		"update, stale": {method: "PUT", path: maps + "/a", media: jsonOf,
			body: []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"},"data":{"z":"1"}}`), reset: isMap, fails: true},
		"update, status": {method: "PUT", path: deploys + "/web/status", media: jsonOf,
			body: []byte(strings.TrimSuffix(web, "}") + `,"status":{"observedGeneration":1}}`), reset: aWeb},
		"scale": {method: "PUT", path: deploys + "/web/scale", media: jsonOf,
			body: []byte(`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","namespace":"default"},"spec":{"replicas":3}}`), reset: aWeb, verb: "patch"},
		"patch, scale": {method: "PATCH", path: deploys + "/web/scale", media: merge,
			body: []byte(`{"spec":{"replicas":2}}`), reset: aWeb},
		"patch, JSON": {method: "PATCH", path: maps + "/a", media: "application/json-patch+json",
			body: []byte(`[{"op":"add","path":"/data/l","value":"it's $(id)"}]`), reset: isMap},
		"patch, merge": {method: "PATCH", path: maps + "/a", media: merge,
			body: []byte("{\"data\":{\"k\":null,\n\"l\":\"it's $(id)\"}}"), reset: isMap},
		"patch, long": {method: "PATCH", path: maps + "/a", media: merge,
			body: []byte(`{"data":{"l":"` + strings.Repeat("it's ", 30_000) + `"}}`), reset: isMap},
		"patch, strategic": {method: "PATCH", path: deploys + "/web", media: "application/strategic-merge-patch+json",
			body: []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}}`), reset: aWeb},
		"patch, status": {method: "PATCH", path: deploys + "/web/status", media: merge,
			body: []byte(`{"status":{"observedGeneration":1}}`), reset: aWeb},
		"apply": {method: "PATCH", path: maps + "/a?fieldManager=me&force=true",
			media: "application/apply-patch+yaml",
			body:  []byte("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {k: \"it's\"}\n"), reset: isMap},
		"apply, conflict": {method: "PATCH", path: maps + "/a?fieldManager=me", media: "application/apply-patch+yaml",
			body: []byte("kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {k: \"it's\"}\n"), reset: isMap,
			fails: true},
		"apply, CBOR": {method: "PATCH", path: maps + "/a?fieldManager=me&force=true",
			media: "application/apply-patch+cbor", body: encoded(t, codecs.CBOR, config), reset: isMap},
		"apply, status": {method: "PATCH", path: deploys + "/web/status?fieldManager=me",
			media: "application/apply-patch+yaml",
			body: []byte("kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web}\nstatus: {observedGeneration: " +
				"1}\n"), reset: aWeb},
		"delete": {method: "DELETE", path: maps + "/a", reset: isMap},
		"delete, orphan": {method: "DELETE", path: deploys + "/web", media: "application/vnd.kubernetes.protobuf",
			body: encoded(t, codecs.Protobuf, options), reset: aWeb},
		"delete, not it": {method: "DELETE", path: maps + "/a", media: jsonOf,
			body: []byte(`{"preconditions":{"uid":"x"}}`), reset: isMap, fails: true},
		"delete, grace": {method: "DELETE", path: maps + "/a?gracePeriodSeconds=0", reset: isMap},
		"delete many": {method: "DELETE", path: maps + "?labelSelector=app",
			reset: []string{"DELETE " + maps + "/a", "POST " + maps + " " + strings.Replace(aMap, "x-y", "x", 1)},
			verb:  "delete"},
		"token": {method: "POST", path: "/api/v1/namespaces/default/serviceaccounts/default/token",
			media: jsonOf, body: []byte(`{"spec":{"expirationSeconds":600}}`)},
		"impersonated": {method: "GET", path: maps, header: http.Header{"Impersonate-User": {"jane doe"},
			"Impersonate-Group": {"system:masters", "b"}}},
		"secret": {method: "POST", path: secrets, media: jsonOf,
			body:  []byte(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"k":"c2VzYW1l"}}`),
			reset: []string{"DELETE " + secrets + "/s"}},
	}
}

// A copied command is pasted into a shell and sends the same request, with the real kubectl.
func TestKubectl_copied(t *testing.T) {
	kubectl := e2e.FindKubectl(t)
	p := start(t, plain())
	<-p.Bootstrapped()
	s := &shell{t: t, p: p, dir: t.TempDir()}
	bin := t.TempDir()
	write(t, filepath.Join(bin, "kubectl"), "#!/bin/sh\nexec '"+kubectl+"' \"$@\"\n", 0o700)
	s.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "KUBECONFIG=/dev/null",
		"TMPDIR=" + t.TempDir(), "LC_ALL=C"}
	for name, c := range copiedRequests(t) {
		t.Run(name, func(t *testing.T) {
			s := *s
			s.t = t
			want := s.ask(c)
			command := story.Kubectl(want, story.At(p.URL), story.Unmasked)
			before := p.Log.Stats().Published
			s.reset(c)
			out, err := s.run(command)
			got := s.same(want, c, before)
			switch {
			case (err != nil) != c.fails:
				t.Errorf("%.2000s\n%v: %s", command, err, out)
			case got == nil:
				t.Errorf("%.2000s\nasked for something else: %s\n%s", command, out, s.asked(before))
			case got.Client.User != want.Client.User || !reflect.DeepEqual(outcome(t, got), outcome(t, want)):
				t.Errorf("%.2000s\nas %s made %v\nas %s was %v", command, got.Client.User, outcome(t, got),
					want.Client.User, outcome(t, want))
			}
		})
	}
}

// A command with masked secrets does not store the mask: it says what to fill in, and fails.
func TestKubectl_copiedMasked(t *testing.T) {
	kubectl := e2e.FindKubectl(t)
	p := start(t, plain())
	<-p.Bootstrapped()
	bin := t.TempDir()
	write(t, filepath.Join(bin, "kubectl"), "#!/bin/sh\nexec '"+kubectl+"' \"$@\"\n", 0o700)
	s := &shell{t: t, p: p, dir: t.TempDir(), env: []string{"PATH=" + bin + ":" + os.Getenv("PATH"),
		"HOME=" + t.TempDir(), "KUBECONFIG=/dev/null", "LC_ALL=C"}}
	c := copiedRequests(t)["secret"]
	f := s.ask(c)
	s.reset(c)
	before := p.Log.Stats().Published
	command := story.Kubectl(f, story.At(p.URL))
	if out, err := s.run(command); err == nil || !strings.HasPrefix(command, "# ") ||
		strings.Contains(command, "c2VzYW1l") {
		t.Errorf("%s\n%s", command, out)
	}
	flows, _ := p.Log.Since(before, 0)
	for _, f := range flows {
		if !f.Client.Own() && len(f.Effects) > 0 {
			t.Errorf("%s stored %s", f.Method, f.Effects[0].After)
		}
	}
}

// A shell runs commands against a Kubarium.
type shell struct {
	t   *testing.T
	p   *program.Program
	dir string
	env []string
}

func (s *shell) run(command string) (string, error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, strings.NewReader(command+"\n")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *shell) send(c copied) (code int) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), c.method, s.p.URL+c.path, bytes.NewReader(c.body))
	if err != nil {
		s.t.Fatal(err)
	}
	if c.header != nil {
		req.Header = c.header.Clone()
	}
	if c.media != "" {
		req.Header.Set("Content-Type", c.media)
	}
	req.Header.Set("User-Agent", "copied/1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode
}

// reset sends the requests that come before another; deleted objects are gone afterwards.
func (s *shell) reset(c copied) {
	s.t.Helper()
	for _, r := range c.reset {
		words := strings.SplitN(r, " ", 3)
		again := copied{method: words[0], path: words[1]}
		if len(words) == 3 {
			again.media, again.body = jsonOf, []byte(words[2])
		}
		for end := time.Now().Add(time.Minute); s.send(again) != 404 &&
			again.method == "DELETE"; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				s.t.Fatalf("%s is not deleted", again.path)
			}
		}
	}
}

// ask sends a request and returns its record.
func (s *shell) ask(c copied) *flow.Flow {
	s.t.Helper()
	s.reset(c)
	before := s.p.Log.Stats().Published
	s.send(c)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		flows, _ := s.p.Log.Since(before, 0)
		for _, f := range flows {
			path, _, _ := strings.Cut(c.path, "?")
			if f.Client.UserAgent == "copied/1" && f.Method == c.method && f.Path == path {
				if (f.Status >= 400) != c.fails {
					s.t.Fatalf("%s %s: %d %s", c.method, c.path, f.Status, f.Message)
				}
				return f
			}
		}
	}
	s.t.Fatal("no record")
	return nil
}

// same finds an equal request of kubectl.
func (s *shell) same(want *flow.Flow, c copied, before uint64) (found *flow.Flow) {
	target := want.Target
	if c.verb != "" {
		target.Verb = c.verb
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		flows, _ := s.p.Log.Since(before, 0)
		for _, f := range flows {
			was := f.Target
			if target.Name == "" && target.Verb == "delete" { // kubectl deletes one after the other
				was.Name = ""
			}
			if pasted(f) && was == target && f.Status == want.Status {
				found = f
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// pasted reports whether a request is from a command, not from this test or Kubarium itself.
func pasted(f *flow.Flow) bool { return !f.Client.Own() && f.Client.UserAgent != "copied/1" }

// asked lists kubectl's requests.
func (s *shell) asked(before uint64) (all string) {
	flows, _ := s.p.Log.Since(before, 0)
	for _, f := range flows {
		if pasted(f) {
			all += f.Method + " " + f.Path + "?" + f.Query + " " + f.Message + "\n"
		}
	}
	return all
}

// outcome returns what a request stored, without fields that differ each time, or its error.
func outcome(t *testing.T, f *flow.Flow) []any {
	t.Helper()
	out := []any{f.Reason}
	for _, e := range f.Effects {
		var o map[string]any
		if e.After != nil {
			if err := json.Unmarshal(e.After, &o); err != nil {
				t.Fatal(err)
			}
			meta := o["metadata"].(map[string]any)
			for _, name := range []string{"uid", "creationTimestamp", "managedFields", "deletionTimestamp"} {
				delete(meta, name)
			}
			if meta["generateName"] != nil {
				delete(meta, "name")
				delete(meta, "labels")
			}
		}
		out = append(out, e.Commit.Type, o)
	}
	return out
}
