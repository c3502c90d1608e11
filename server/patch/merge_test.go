package patch_test

import (
	"bytes"
	"encoding/json"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/types"

	"kubarium/server/patch"
)

// mergePairs are documents and merge patches: the appendix of RFC 7396 as far as the document is an object, and what the
// library does beyond it: lists are pruned too, texts keep their order where nothing changed.
var mergePairs = [][2]string{
	{`{"a":"b"}`, `{"a":"c"}`},
	{`{"a":"b"}`, `{"b":"c"}`},
	{`{"a":"b"}`, `{"a":null}`},
	{`{"a":"b","b":"c"}`, `{"a":null}`},
	{`{"a":["b"]}`, `{"a":"c"}`},
	{`{"a":"c"}`, `{"a":["b"]}`},
	{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`},
	{`{"a":[{"b":"c"}]}`, `{"a":[1]}`},
	{`{"e":null}`, `{"a":1}`},
	{`{"e":null}`, `{"e":{"a":null,"b":[{"c":null},null]}}`},
	{`{"z":{"y":1,"x":{"w":2,"v":[3, 4]}}, "a":1.50}`, `{"z":{"x":{"u":1E3}}}`},
	{`{"z":{"y":1,"x":2}}`, `{"z":1}`},
	{`{"z":"<&>"}`, "{\"a\":\"<\u2028>\",\"\\u003c\":{\"é\":null}}"},
	{`{"a":1}`, `[{"a":null,"b":[{"c":null}]}]`},
	{`{"a":1}`, `null`},
	{`{"a":1}`, `7`},
	{`{"a":{"a":{"a":{}}}}`, `{"a":{"a":{"a":{"a":{"a":null}}}}}`},
	{`{"a":1,"a":{"b":2}}`, `{"a":{"c":3},"a":{"d":4}}`},
	{`{}`, ` { } `},
}

// A merge patch gives what the library gives that kube-apiserver uses, byte by byte.
func TestApply_mergeAsLibrary(t *testing.T) {
	for _, c := range mergePairs {
		sameMerge(t, c[0], c[1])
	}
}

func sameMerge(t *testing.T, doc, body string) {
	t.Helper()
	want, wrong := jsonpatch.MergePatch([]byte(doc), []byte(body))
	got, err := patch.Apply(t.Context(), types.MergePatchType, []byte(doc), []byte(body), nil, patch.Ignore)
	if (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() || !bytes.Equal(got.After, want) {
		t.Errorf("%q and %q:\n got %s, %v\nwant %s, %v", doc, body, got.After, err, want, wrong)
	}
}

func FuzzApply_mergeAsLibrary(f *testing.F) {
	for _, c := range mergePairs {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, doc, body string) {
		object := map[string]json.RawMessage{}
		if json.Unmarshal([]byte(doc), &object) != nil || object == nil || !json.Valid([]byte(body)) {
			return // a stored document is an object, and what is no JSON was refused before
		}
		sameMerge(t, doc, body)
	})
}
