package body

import (
	"strings"
	"testing"
)

// A field is found on its line in JSON and in YAML; of one that is missing, the object around it.
func TestFind(t *testing.T) {
	b := []byte(`{"kind":"Pod","metadata":{"name":"a","labels":{"x.io/y":"1"}},"status":{"conditions":[{"type":"A","status":"False"},{"type":"B","status":"True"}]}}`)
	for _, c := range []struct {
		path, json, yaml, value string
		missing                 bool
	}{
		{"kind", `"kind": "Pod",`, "kind: Pod", "Pod", false},
		{"metadata.labels['x.io/y']", `"x.io/y": "1"`, `x.io/y: "1"`, "1", false},
		{"status.conditions[type=B].status", `"status": "True"`, `- status: "True"`, "True", false},
		{"status.conditions[1]", `{`, `- status: "True"`, "", false},
		{"metadata.uid", `"metadata": {`, "metadata:", "", true},
		{"spec.replicas", `{`, "kind: Pod", "", true},
	} {
		for form, want := range map[Format]string{JSON: c.json, YAML: c.yaml} {
			p, ok := Find(b, form, c.path)
			if lines := Lines(b, form, 80); !ok || p.Text != want || p.Value != c.value || p.Missing != c.missing ||
				trimmed(lines[p.Line].String()) != want {
				t.Errorf("%s as %s: %+v %v", c.path, form, p, ok)
			}
		}
	}
	if _, ok := Find([]byte("nothing"), JSON, "kind"); ok {
		t.Error("a text has fields")
	}
}

func trimmed(s string) string { return strings.TrimLeft(s, " ") }
