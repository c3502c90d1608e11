package object_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/flow/object"
)

// Each field without fields has one path, for any order of a list of objects.
func TestLeaves(t *testing.T) {
	for name, c := range map[string]struct{ object, want string }{
		"nested": {`{"spec":{"a":{"b":1}}}`, `spec.a.b=1`},
		"digits": {`{"n":12345678901234567890,"f":1.50}`, `f=1.50 n=12345678901234567890`},
		"name with a dot": {`{"metadata":{"labels":{"example.io/a":"x","b/c":"y"}}}`,
			`metadata.labels[b/c]=y metadata.labels[example.io/a]=x`},
		"by name": {`{"c":[{"name":"b","image":"2"},{"name":"a","image":"1"}]}`,
			`c[a].image=1 c[a].name=a c[b].image=2 c[b].name=b`},
		"by port": {`{"p":[{"port":80},{"port":443}]}`, `p[443].port=443 p[80].port=80`},
		"no unique key": {`{"p":[{"port":80,"x":1},{"port":80,"x":2}]}`,
			`p[0].port=80 p[0].x=1 p[1].port=80 p[1].x=2`},
		"nothing in common": {`{"p":[{"a":1},{"b":2}]}`, `p[0].a=1 p[1].b=2`},
		"list of values":    {`{"args":["b","a"]}`, `args=["b","a"]`},
		"mixed list":        {`{"args":[{"name":"a"},1]}`, `args=[{"name":"a"},1]`},
		"empty":             {`{"a":{},"b":[],"c":"","d":null}`, `a={} b=[] c=`},
		"nothing":           {`{}`, ``},
	} {
		leaves := object.Leaves(object.Parse([]byte(c.object)))
		var got []string
		for _, path := range slices.Sorted(maps.Keys(leaves)) {
			got = append(got, path+"="+object.Text(leaves[path]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// Values are equal if their JSON is equal, not if they look equal.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1`, true}, {`1`, `2`, false}, {`"a"`, `"a"`, true}, {`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`null`, `null`, true},
		{`"80"`, `80`, false}, {`"true"`, `true`, false}, {`"a\nb"`, `"a b"`, false}, {`null`, `""`, false},
		{`{}`, `null`, false},
		{`[1,2]`, `[2,1]`, false}, {`12345678901234567890`, `12345678901234567891`, false},
	} {
		if got := object.Same(object.Parse([]byte(c.a)), object.Parse([]byte(c.b))); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{`"a\n\tb"`: "a  b", `1.50`: "1.50", `["a"]`: `["a"]`, `null`: "null",
		`"é"`: "é"} {
		if got := object.Text(object.Parse([]byte(text))); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A field that the server sets is ignored; one with the same beginning is not.
func TestIgnored(t *testing.T) {
	for path, want := range map[string]bool{
		"metadata.uid": true, "metadata.managedFields[0].manager": true, "metadata.managedFields": true, "kind": true,
		"apiVersion":    true,
		"metadata.uids": false, "metadata.labels.uid": false, "kinds": false, "spec.kind": false,
		"metadata.finalizers": false,
	} {
		if object.Ignored(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func TestIn(t *testing.T) {
	v := object.Parse([]byte(`{"a":{"b":"c"},"list":[1]}`))
	if object.TextIn(v, "a", "b") != "c" || object.In(v, "a", "x") != nil || object.TextIn(v, "list", "b") != "" ||
		object.TextIn(v, "a") != "" {
		t.Error("another value")
	}
	if object.Parse([]byte(`{"a":`)) != nil || object.Parse(nil) != nil {
		t.Error("what does not read has a value")
	}
}

// A request's body is read from any encoding, but not if it was cut.
func TestSent(t *testing.T) {
	f := &flow.Flow{RequestBody: flow.Keep([]byte("spec:\n  replicas: 3\n"))}
	if got := object.Text(object.In(object.Sent(f), "spec", "replicas")); got != "3" {
		t.Error(got)
	}
	f.RequestBody.Cut = true
	if object.Sent(f) != nil {
		t.Error("a body that was cut is read")
	}
}

func TestRefOfTarget(t *testing.T) {
	for _, c := range []struct {
		target flow.Target
		want   object.Ref
	}{
		{flow.Target{Resource: "pods", Namespace: "a", Name: "p"},
			object.Ref{Resource: "pods", Namespace: "a", Name: "p"}},
		{flow.Target{Group: "apps", Resource: "deployments", Namespace: "a", Name: "d"},
			object.Ref{Resource: "deployments.apps", Namespace: "a", Name: "d"}},
		{flow.Target{Resource: "namespaces", Namespace: "a", Name: "a"}, object.Ref{Resource: "namespaces", Name: "a"}},
	} {
		if got := object.RefOfTarget(c.target); got != c.want {
			t.Errorf("%+v: %+v", c.target, got)
		}
	}
}

// Metadata is changed without changing a digit of the rest.
func TestWithMetadata(t *testing.T) {
	drop := func(m map[string]json.RawMessage) { delete(m, "resourceVersion") }
	for text, want := range map[string]string{
		`{"metadata":{"name":"a","resourceVersion":"7"},"n":1.50}`: `{"metadata":{"name":"a"},"n":1.50}`,
		`{"spec":{}}`: `{"spec":{}}`, `[1]`: `[1]`, `{`: `{`, ``: ``,
	} {
		if got := string(object.WithMetadata([]byte(text), drop)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// No value with fields is a leaf, and an object that is encoded and decoded has the same leaves.
func FuzzLeaves(f *testing.F) {
	for _, s := range []string{`{"a":{"b":[{"name":"x","v":1},{"name":"y"}]},"c.d":[],"e":{"":{"":1}}}`,
		`{"a":[[{}]],"b/c":null}`, `[{"name":"a"},{"name":"b"}]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, isObject := object.Parse([]byte(text)).(map[string]any)
		if !isObject {
			return
		}
		leaves := object.Leaves(v)
		for path, leaf := range leaves {
			if m, ok := leaf.(map[string]any); leaf == nil || ok && len(m) > 0 {
				t.Errorf("%s is no leaf: %v", path, leaf)
			}
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if again := object.Leaves(object.Parse(b)); !reflect.DeepEqual(again, leaves) {
			t.Errorf("%s: %v, then %v", text, leaves, again)
		}
	})
}
