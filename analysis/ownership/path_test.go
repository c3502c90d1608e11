package ownership_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/analysis/ownership"
	"kubarium/flow/object"
)

// A path of owned fields finds its value and has a name that people would give it.
func TestPathText(t *testing.T) {
	const written = `{"metadata":{"labels":{"a.b/c":"x"},"finalizers":["example.com/a","example.com/b"]},
		"spec":{"ports":[{"port":80,"name":"web"},{"port":80,"protocol":"UDP"}],"containers":[{"name":"a","image":"i:1"}],"empty":[]}}`
	for _, c := range []struct{ fields, path, value string }{
		{`{"f:metadata":{"f:labels":{"f:a.b/c":{}}}}`, "metadata.labels[a.b/c]", `"x"`},
		{`{"f:metadata":{"f:finalizers":{"v:\"example.com/b\"":{}}}}`, "metadata.finalizers[=example.com/b]",
			`"example.com/b"`},
		{`{"f:metadata":{"f:finalizers":{"v:\"example.com/c\"":{}}}}`, "metadata.finalizers[=example.com/c]", "null"},
		{`{"f:metadata":{"f:finalizers":{"i:0":{}}}}`, "metadata.finalizers[0]", `"example.com/a"`},
		{`{"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}}}`, "spec.containers[a].image", `"i:1"`},
		{`{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{"f:name":{}}}}}`, "spec.ports[80/TCP].name", `"web"`},
		{`{"f:spec":{"f:ports":{"k:{\"port\":81,\"protocol\":\"TCP\"}":{"f:name":{}}}}}`, "spec.ports[81/TCP].name", "null"},
		{`{"f:spec":{"f:empty":{}}}`, "spec.empty", "[]"},
	} {
		set := fieldpath.NewSet()
		if err := set.FromJSON(strings.NewReader(c.fields)); err != nil {
			t.Fatal(err)
		}
		set.Leaves().Iterate(func(p fieldpath.Path) {
			value, err := json.Marshal(ownership.ValueAt(object.Parse([]byte(written)), p))
			if err != nil || ownership.PathText(p) != c.path || string(value) != c.value {
				t.Errorf("%s: %s is %s, %v; want %s %s", c.fields, ownership.PathText(p), value, err, c.path, c.value)
			}
		})
	}
}
