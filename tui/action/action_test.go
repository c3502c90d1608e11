package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kubarium/tui/action"
	"kubarium/tui/client"
)

var deployments = client.Resource{Group: "apps", Version: "v1", Name: "deployments", Kind: "Deployment",
	Namespaced: true, Subresources: []string{"scale", "status"}, Others: []string{"v1beta1"}}

var web = client.Key{Namespace: "team", Name: "web"}

// Words set and remove labels; invalid ones are errors before any request is sent.
func TestMetaMap_Change(t *testing.T) {
	for words, want := range map[string]string{
		"a=b":               `kubectl label deployments web -n team a=b --overwrite`,
		"a- x/y=1 b=":       `kubectl label deployments web -n team a- b= x/y=1 --overwrite`,
		"a-":                `kubectl label deployments web -n team a-`,
		"":                  "say key=value to set a label, or key- to remove it",
		"a":                 `"a" neither sets (key=value) nor removes (key-)`,
		"a=b a-":            `"a" is named twice`,
		"a=b c='":           "a quotation mark is not closed",
		"-x=1":              `key "-x": name part must consist of`,
		"a='b c'":           `value "b c": a valid label must be`,
		`"a"=b "" ''`:       `"" neither sets`,
		"a=" + long(64):     `value "` + long(64) + `": must be no more than 63`,
		"example.io/a/b=1":  `key "example.io/a/b": a valid label key`,
		"Example.io/A=True": `kubectl label deployments web -n team Example.io/A=True --overwrite`,
	} {
		a, err := action.Labels.Change(deployments, web, words)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = a.Kubectl()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
	a, err := action.Annotations.Change(deployments, web, `note='for now, "really"' old-`)
	if err != nil || a.Kubectl() != `kubectl annotate deployments web -n team 'note=for now, "really"' old- --overwrite` || string(a.Body) != `{"metadata":{"annotations":{"note":"for now, \"really\"","old":null}}}` {
		t.Errorf("%v %s", err, a.Kubectl())
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// Each action has equivalent request and command.
func TestAction_Kubectl(t *testing.T) {
	object := []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}}`)
	for _, c := range []struct {
		a                   *action.Action
		request, body, line string
	}{
		{action.Scale(deployments, web, 3), "PATCH /apis/apps/v1/namespaces/team/deployments/web/scale",
			`{"spec":{"replicas":3}}`, "kubectl scale deployments web -n team --replicas=3"},
		{action.Delete(deployments, web, action.Foreground), "DELETE /apis/apps/v1/namespaces/team/deployments/web",
			`{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground"}`,
			"kubectl delete deployments web -n team --cascade=foreground"},
		{action.Create(deployments, web, object), "POST /apis/apps/v1/namespaces/team/deployments", string(object),
			"kubectl create -f - -n team --validate=strict <<'EOF' …"},
		{action.Update(deployments, web, object), "PUT /apis/apps/v1/namespaces/team/deployments/web", string(object),
			"kubectl replace -f - -n team --validate=strict <<'EOF' …"},
	} {
		r := c.a.Request()
		if got := r.Method + " " + r.Path; got != c.request || string(r.Body) != c.body ||
			action.Line(c.a.Kubectl()) != c.line {
			t.Errorf("%s %s\n%s", got, r.Body, c.a.Kubectl())
		}
	}
}

// The command of a Secret is masked unless the option says otherwise.
func TestAction_Kubectl_secret(t *testing.T) {
	secrets := client.Resource{Version: "v1", Name: "secrets", Kind: "Secret", Namespaced: true}
	a := action.Create(secrets, client.Key{Namespace: "default", Name: "s"},
		[]byte(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"c2VzYW1l"}}`))
	if s := a.Kubectl(); strings.Contains(s, "c2VzYW1l") ||
		action.Line(s) != "kubectl create -f - -n default --validate=strict <<'EOF' …" {
		t.Error(s)
	}
}

// A text has several manifests, and empty ones are left out; an error names the invalid one.
func TestManifests(t *testing.T) {
	all := []client.Resource{deployments, {Version: "v1", Name: "namespaces", Kind: "Namespace"}}
	ms, err := action.Manifests([]byte("# c\n---\napiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: web, " +
		"namespace: own}\n---\n\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: one, namespace: odd}\ndata: " +
		"|\n  # not a comment\n"))
	if err != nil || len(ms) != 2 {
		t.Fatalf("%d, %v", len(ms), err)
	}
	of, err := ms[0].Resource(all)
	if err != nil || of.Version != "v1beta1" || ms[0].In(of, "team") != (client.Key{Namespace: "own", Name: "web"}) {
		t.Errorf("%+v %v", of, err)
	}
	of, err = ms[1].Resource(all)
	if err != nil || ms[1].In(of, "team") != (client.Key{Name: "one"}) ||
		!strings.Contains(string(ms[1].JSON), "# not a comment") {
		t.Errorf("%+v %v %s", of, err, ms[1].JSON)
	}
	if ms, err := action.Manifests(action.Join(ms)); err != nil || len(ms) != 2 {
		t.Errorf("joined: %d, %v", len(ms), err)
	}
	for text, want := range map[string]string{
		"a: b":                              "document 1: it needs apiVersion and kind",
		"kind: A\napiVersion: v1\n---\n- a": "document 2: it is not an object",
		"a: [":                              "document 1: yaml: ",
		"a: 1\na: 2":                        "document 1: yaml: ",
	} {
		if _, err := action.Manifests([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	m := action.Manifest{APIVersion: "v1", Kind: "Gadget"}
	if _, err := m.Resource(all); err == nil || err.Error() != "the server serves no kind Gadget in v1" {
		t.Error(err)
	}
}

// Comments above a text do not count as changes.
func TestUnchanged(t *testing.T) {
	text := []byte("a: |\n  # b\n")
	head := action.Commented([]string{"one", "", "two\nthree"}, text)
	if string(head) != "# one\n#\n# two\n# three\na: |\n  # b\n" {
		t.Errorf("%q", head)
	}
	if again := action.Commented(nil, head); string(again) != string(text) {
		t.Errorf("%q", again)
	}
	if !action.Unchanged(head, append([]byte("\n"), text...)) || action.Unchanged(text, []byte("a: |\n  # c\n")) {
		t.Error("a change is taken for a comment")
	}
	if !action.Blank([]byte("# x\n\n")) || !action.Blank(nil) || action.Blank(text) {
		t.Error("a text with comments alone is blank, and no other")
	}
}

// An older version is restored without fields that the server sets, in its own version of the API; over an existing
// object, with that one's identity.
func TestRestore(t *testing.T) {
	older := []byte(`{"apiVersion":"apps/v1beta1","metadata":{"name":"web","uid":"old","resourceVersion":"3","creationTimestamp":"x","generation":2,"deletionTimestamp":"y","managedFields":[],"finalizers":["orphan","example.io/x"]},"spec":{"replicas":1},"status":{"replicas":1}}`)
	now := []byte(`{"metadata":{"name":"web","uid":"new","resourceVersion":"9"},"spec":{"replicas":4}}`)
	for name, c := range map[string]struct {
		now        []byte
		verb, want string
	}{
		"update": {now, "update", `{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"finalizers":["example.io/x"],"name":"web","resourceVersion":"9","uid":"new"},"spec":{"replicas":1}}`},
		"create": {nil, "create", `{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"finalizers":["example.io/x"],"name":"web"},"spec":{"replicas":1}}`},
	} {
		a, err := action.Restore(deployments, web, older, c.now)
		if err != nil || a.Verb != c.verb || a.Of.Version != "v1beta1" || string(a.Body) != c.want {
			t.Errorf("%s: %v %+v\n%s", name, err, a, a.Body)
		}
	}
	// Items of lists have neither kind nor apiVersion.
	a, err := action.Restore(deployments, web, []byte(`{"metadata":{"name":"web"}}`), nil)
	if err != nil || string(a.Body) != `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}}` {
		t.Errorf("%v %s", err, a.Body)
	}
	if _, err := action.Restore(deployments, web, []byte(`[]`), nil); err == nil {
		t.Error("a list was restored")
	}
}

// A skeleton is YAML with the fields that the schema requires; without a document it has only type and name.
func TestSkeleton(t *testing.T) {
	const document = `{"components":{"schemas":{
 "D":{"x-kubernetes-group-version-kind":[{"group":"apps","version":"v1","kind":"Deployment"}],"properties":{"metadata":{},"status":{},"spec":{"allOf":[{"$ref":"#/components/schemas/S"}]}}},
 "S":{"type":"object","required":["template","count","mode","self"],"properties":{"template":{"$ref":"#/components/schemas/T"},"count":{"type":"integer"},"mode":{"type":"string","enum":["A","B"]},"other":{"type":"string"},"self":{"$ref":"#/components/schemas/S"}}},
 "T":{"type":"object","properties":{"metadata":{},"spec":{"type":"object","required":["containers"],"properties":{"containers":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}}}}}}}}`
	text := string(action.Skeleton([]byte(document), deployments, "team"))
	for _, want := range []string{"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: \"\"\n  namespace: " +
		"team\nspec:\n  count: 0\n  mode: A\n", "containers:\n      - name: \"\"\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if ms, err := action.Manifests([]byte(text)); err != nil || len(ms) != 1 || !json.Valid(ms[0].JSON) {
		t.Errorf("%v\n%s", err, text)
	}
	if text := string(action.Skeleton(nil, deployments, "")); text != "apiVersion: apps/v1\nkind: "+
		"Deployment\nmetadata:\n  name: \"\"\n" {
		t.Error(text)
	}
}

// Any words become a request with valid JSON or an error of one line.
func FuzzMetaMap_Change(f *testing.F) {
	for _, s := range []string{"a=b c-", `x='1 "2"'`, "=", "--", "a=\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, words string) {
		a, err := action.Annotations.Change(deployments, web, words)
		if err == nil && !json.Valid(a.Body) {
			t.Errorf("%q: %s", words, a.Body)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", words, err)
		}
	})
}

// Any manifests become objects in JSON or an error of one line.
func FuzzManifests(f *testing.F) {
	for _, s := range []string{"kind: A\napiVersion: v1\n---\n", "a: &x [*x]", "---\n---", "\t", "kind: {}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ms, err := action.Manifests([]byte(text))
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
		for _, m := range ms {
			if !json.Valid(m.JSON) {
				t.Errorf("%q: %s", text, m.JSON)
			}
		}
	})
}
