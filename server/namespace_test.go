package server_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// An exact call is a request with the whole of what kube-apiserver 1.37 answered.
type exact struct {
	name string
	q    request
	code int
	want string // the answer without what differs from run to run
}

// playExactly sends requests in a row and compares each answer.
func playExactly(t *testing.T, url string, steps []exact) {
	t.Helper()
	for _, s := range steps {
		if s.q.body != "" && s.q.contentType == "" {
			s.q.contentType = "application/json"
		}
		code, body := send(t, url, s.q)
		if got := lasting(t, body); code != s.code || s.want != "" && got != s.want {
			t.Errorf("%s: %d %s\nwant %d %s", s.name, code, got, s.code, s.want)
		}
	}
}

// passing are members of metadata that differ from run to run; times are masked, as it matters whether they are there.
var passing = []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"}

// lasting is an answer without what differs from run to run, its members in order of their names.
func lasting(t *testing.T, body string) string {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(body), &object); err != nil {
		return strings.TrimSpace(body)
	}
	if object["kind"] == "Status" {
		maps.DeleteFunc(object, func(k string, _ any) bool {
			return slices.Contains([]string{"kind", "apiVersion", "metadata", "status"}, k)
		})
	}
	if m, ok := object["metadata"].(map[string]any); ok {
		maps.DeleteFunc(m, func(k string, _ any) bool { return slices.Contains(passing, k) })
		if m["deletionTimestamp"] != nil {
			m["deletionTimestamp"] = "now"
		}
	}
	if d, ok := object["details"].(map[string]any); ok {
		delete(d, "uid")
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const spaces = "/api/v1/namespaces"

// mustSpace makes a namespace with a ConfigMap in it.
func mustSpace(t *testing.T, url, name string) {
	t.Helper()
	playExactly(t, url, []exact{
		{"create", request{method: "POST", path: spaces, body: `{"metadata":{"name":"` + name + `"}}`}, 201, ""},
		{"create in it", request{method: "POST", path: spaces + "/" + name + "/configmaps", body: `{"metadata":{"name":"c"}}`}, 201, ""},
	})
}

func missingSpace(name string) string {
	return `{"code":404,"details":{"kind":"namespaces","name":"` + name + `"},"message":"namespaces \"` + name + `\" not found","reason":"NotFound"}`
}

// A finalize with no finalizers left removes a namespace that is being deleted, and leaves what is in it.
func TestServer_finalize(t *testing.T) {
	url := serveDefault(t)
	mustSpace(t, url, "a")
	const (
		a           = spaces + "/a"
		content     = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"a"}}`
		terminating = `{"apiVersion":"v1","kind":"Namespace","metadata":{"deletionTimestamp":"now","labels":{"kubernetes.io/metadata.name":"a"},"name":"a"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Terminating"}}`
		finalized   = `{"apiVersion":"v1","kind":"Namespace","metadata":{"deletionTimestamp":"now","labels":{"kubernetes.io/metadata.name":"a"},"name":"a"},"spec":{},"status":{"phase":"Terminating"}}`
	)
	playExactly(t, url, []exact{
		{"delete", request{method: "DELETE", path: a}, 200, terminating},
		{"create in it", request{method: "POST", path: a + "/configmaps", body: `{"metadata":{"name":"d"}}`}, 403,
			`{"code":403,"details":{"causes":[{"field":"metadata.namespace","message":"namespace a is being terminated","reason":"NamespaceTerminating"}],"kind":"configmaps","name":"d"},"message":"configmaps \"d\" is forbidden: unable to create new content in namespace a because it is being terminated","reason":"Forbidden"}`},
		{"a wrong finalizer", request{method: "PUT", path: a + "/finalize", body: `{"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes","x"]}}`}, 422,
			`{"code":422,"details":{"causes":[{"field":"spec.finalizers[1]","message":"Invalid value: \"x\": name is neither a standard finalizer name nor is it fully qualified","reason":"FieldValueInvalid"}],"kind":"Namespace","name":"a"},"message":"Namespace \"a\" is invalid: spec.finalizers[1]: Invalid value: \"x\": name is neither a standard finalizer name nor is it fully qualified","reason":"Invalid"}`},
		{"finalize, dry", request{method: "PUT", path: a + "/finalize?dryRun=All", body: `{"metadata":{"name":"a"}}`}, 200, finalized},
		{"get", request{method: "GET", path: a}, 200, terminating},
		{"finalize", request{method: "PUT", path: a + "/finalize", body: `{"metadata":{"name":"a"}}`}, 200, finalized},
		{"get", request{method: "GET", path: a}, 404, missingSpace("a")},
		{"finalize again", request{method: "PUT", path: a + "/finalize", body: `{"metadata":{"name":"a"}}`}, 404, missingSpace("a")},
		{"get from it", request{method: "GET", path: a + "/configmaps/c"}, 200, content},
		{"update in it", request{method: "PUT", path: a + "/configmaps/c", body: `{"metadata":{"name":"c"}}`}, 200, content},
		{"create in it", request{method: "POST", path: a + "/configmaps", body: `{"metadata":{"name":"d"}}`}, 404, missingSpace("a")},
		{"create anew", request{method: "POST", path: spaces, body: `{"metadata":{"name":"a"}}`}, 201, ""},
		{"get from it", request{method: "GET", path: a + "/configmaps/c"}, 200, content},
		{"delete from it", request{method: "DELETE", path: a + "/configmaps/c"}, 200, `{"details":{"kind":"configmaps","name":"c"}}`},
	})
}

// A finalize is an update: it takes metadata as well, and leaves the status.
func TestServer_finalizeUpdates(t *testing.T) {
	url := serveDefault(t)
	mustSpace(t, url, "a")
	playExactly(t, url, []exact{
		{"finalize", request{method: "PUT", path: spaces + "/a/finalize",
			body: `{"metadata":{"name":"a","labels":{"b":"c"},"finalizers":["x.io/y"]},"spec":{"finalizers":["kubernetes","x.io/z"]},"status":{"phase":"Terminating"}}`}, 200,
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"finalizers":["x.io/y"],"labels":{"b":"c","kubernetes.io/metadata.name":"a"},"name":"a"},"spec":{"finalizers":["kubernetes","x.io/z"]},"status":{"phase":"Active"}}`},
		{"finalize again", request{method: "PUT", path: spaces + "/a/finalize", body: `{"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]}}`}, 200,
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"a"},"name":"a"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}`},
	})
}
