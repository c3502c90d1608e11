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

// The first deletion of a namespace makes it Terminating, even one without finalizers; the second removes that.
func TestServer_deleteUnheldNamespace(t *testing.T) {
	url := serveDefault(t)
	mustSpace(t, url, "a")
	mustSpace(t, url, "b")
	ended := func(name, meta string) string {
		return `{"apiVersion":"v1","kind":"Namespace","metadata":{"deletionTimestamp":"now",` + meta + `"labels":{"kubernetes.io/metadata.name":"` + name + `"},"name":"` + name + `"},"spec":{},"status":{"phase":"Terminating"}}`
	}
	const foreground = `"finalizers":["foregroundDeletion"],`
	playExactly(t, url, []exact{
		{"finalize", request{method: "PUT", path: spaces + "/a/finalize", body: `{"metadata":{"name":"a"},"spec":{"finalizers":[]}}`}, 200,
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"a"},"name":"a"},"spec":{},"status":{"phase":"Active"}}`},
		{"another version", request{method: "DELETE", path: spaces + "/a", body: `{"preconditions":{"uid":"u"}}`}, 409, ""},
		{"delete", request{method: "DELETE", path: spaces + "/a"}, 200, ended("a", "")},
		{"get", request{method: "GET", path: spaces + "/a"}, 200, ended("a", "")},
		{"delete again, dry", request{method: "DELETE", path: spaces + "/a?dryRun=All"}, 200, ended("a", "")},
		{"delete again", request{method: "DELETE", path: spaces + "/a"}, 200, ended("a", "")},
		{"get", request{method: "GET", path: spaces + "/a"}, 404, missingSpace("a")},
		{"get from it", request{method: "GET", path: spaces + "/a/configmaps/c"}, 200, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"a"}}`},

		{"finalize", request{method: "PUT", path: spaces + "/b/finalize", body: `{"metadata":{"name":"b"}}`}, 200, ""},
		{"delete in the foreground", request{method: "DELETE", path: spaces + "/b?propagationPolicy=Foreground"}, 200, ended("b", foreground)},
		{"delete again", request{method: "DELETE", path: spaces + "/b"}, 200, strings.Replace(ended("b", foreground), `{"deletionTimestamp"`, `{"deletionGracePeriodSeconds":0,"deletionTimestamp"`, 1)},
	})
	_, body := send(t, url, request{method: "GET", path: spaces + "/b"})
	var b struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatal(err)
	}
	playExactly(t, url, []exact{{"another uid", request{method: "DELETE", path: spaces + "/b", body: `{"preconditions":{"uid":"u"}}`, contentType: "application/json"}, 409,
		`{"code":409,"details":{"kind":"namespaces","name":"b"},"message":"Operation cannot be fulfilled on namespaces \"b\": Precondition failed: UID in precondition: u, UID in object meta: ` + b.Metadata.UID + `","reason":"Conflict"}`}})
}
