package conflict_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"kubarium/analysis/conflict"
	"kubarium/analysis/lineage"
	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	jsonPatch      = "application/json-patch+json"
)

// text says of each row what moved (m), was asked (a), clashes on both sides (both) and would be lost, and the result.
func text(w *conflict.ThreeWay) string {
	var rows []string
	for _, r := range w.Rows {
		s := r.Path
		for _, n := range []struct {
			is   bool
			word string
		}{{r.Moved, " moved"}, {r.Asked, " asked"}, {r.Lost(), " lost"}, {r.Absent, " unnamed"}} {
			if n.is {
				s += n.word
			}
		}
		rows = append(rows, s+" "+object.Text(r.Result))
	}
	return strings.Join(rows, "; ")
}

// The three versions of a stale write are compared field by field, whatever the form of the request.
func TestCompare(t *testing.T) {
	const (
		base   = `{"metadata":{"labels":{"a":"1"}},"spec":{"n":2,"args":["x"],"c":[{"name":"a","image":"1"},{"name":"b","image":"1"}]},"status":{"ready":1}}`
		moved  = `{"metadata":{"labels":{"a":"1","b":"1"}},"spec":{"n":5,"args":["x"],"c":[{"name":"b","image":"1"},{"name":"a","image":"1"}]},"status":{"ready":2}}`
		copied = `{"metadata":{"uid":"u","labels":{"a":"1"}},"spec":{"n":%d,"args":["x"],"c":[{"name":"a","image":"2"},{"name":"b","image":"1"}]}}`
	)
	for name, c := range map[string]struct {
		media, subresource, base, sent string // media "" for an update
		want                           string
	}{
		"a copy": {"", "", base, fmt.Sprintf(copied, 2),
			"metadata.labels.b moved lost null; spec.n moved lost 2; spec.c[a].image asked 2; status.ready moved unnamed 2"},
		"both sides": {"", "", base, fmt.Sprintf(copied, 3),
			"spec.n moved asked lost 3; metadata.labels.b moved lost null; spec.c[a].image asked 2; status.ready moved unnamed 2"},
		"to one value": {"", "", base, fmt.Sprintf(copied, 5),
			"metadata.labels.b moved lost null; spec.c[a].image asked 2; spec.n moved asked 5; status.ready moved unnamed 2"},
		"by hand": {"", "", base, "metadata: {labels: {a: '1', b: '1'}}\nspec: {'n': 7}\n",
			"spec.n moved asked lost 7; metadata.labels.b moved asked 1; status.ready moved unnamed 2"},
		"status": {"", "status", base, `{"metadata":{"uid":"u"},"spec":{"n":9},"status":{"ready":3}}`,
			"status.ready moved asked lost 3; metadata.labels.b moved unnamed 1; spec.n moved unnamed 5"},
		"base gone": {"", "", "", fmt.Sprintf(copied, 3),
			"metadata.labels.b asked null; spec.c[a].image asked 2; spec.n asked 3"},
		"scale": {"", "scale", base, `{"metadata":{"uid":"u"},"spec":{"n":3}}`,
			"spec.n moved asked lost 3; metadata.labels.b moved unnamed 1; status.ready moved unnamed 2"},
		"merge": {mergePatch, "", base, `{"spec":{"n":3}}`,
			"spec.n moved asked lost 3; metadata.labels.b moved unnamed 1; status.ready moved unnamed 2"},
		"merge null": {mergePatch, "", base, `{"metadata":{"labels":{"a":null}}}`,
			"metadata.labels.a asked null; metadata.labels.b moved unnamed 1; spec.n moved unnamed 5; status.ready moved " +
				"unnamed 2"},
		"merge null map": {mergePatch, "", base, `{"metadata":{"labels":null}}`,
			"metadata.labels.b moved lost null; metadata.labels.a asked null; spec.n moved unnamed 5; status.ready moved " +
				"unnamed 2"},
		"merge list": {mergePatch, "", moved, `{"spec":{"c":[{"name":"a","image":"1"}]}}`,
			"spec.c[b].image asked null; spec.c[b].name asked null"},
		"merge empty list": {mergePatch, "", moved, `{"spec":{"args":[]}}`, "spec.args asked []"},
		"strategic": {strategicPatch, "", moved,
			`{"spec":{"$setElementOrder/c":[{"name":"a"},{"name":"b"}],"c":[{"name":"a","image":"2"}]}}`,
			"spec.c[a].image asked 2"},
		"strategic delete": {strategicPatch, "", moved, `{"spec":{"c":[{"name":"b","$patch":"delete"}]}}`,
			"spec.c[b].image asked null; spec.c[b].name asked null"},
		"pointers": {jsonPatch, "", moved,
			`[{"op":"test","path":"/spec/n","value":5},{"op":"replace","path":"/spec/n","value":7},{"op":"remove","path":"/metadata/labels/a"}]`, "metadata.labels.a asked null; spec.n asked 7"},
		"pointer to item": {jsonPatch, "", base, `[{"op":"replace","path":"/spec/c/1/image","value":"2"}]`,
			"spec.c[a].image asked 2; metadata.labels.b moved unnamed 1; spec.n moved unnamed 5; status.ready moved unnamed 2"},
		"pointer adds": {jsonPatch, "", moved,
			`[{"op":"add","path":"/spec/c/-","value":{"name":"z","image":"1"}},{"op":"add","path":"/spec/args/0","value":"w"}]`,
			`spec.args asked ["w","x"]; spec.c[z].image asked 1; spec.c[z].name asked z`},
		"pointer to map": {jsonPatch, "", moved, `[{"op":"remove","path":"/metadata/labels"}]`,
			"metadata.labels.a asked null; metadata.labels.b asked null"},
		"pointer moves": {jsonPatch, "", moved,
			`[{"op":"move","from":"/metadata/labels/a","path":"/metadata/labels/c~1d"},{"op":"copy","from":"/spec/n","path":"/spec/m"}]`, "metadata.labels.a asked null; metadata.labels[c/d] asked 1; spec.m asked 5"},
		"pointer astray": {jsonPatch, "", moved,
			`[{"op":"replace","path":"/spec/c/7/image","value":"2"},{"op":"remove","path":"/a/b"},{"op":"add","path":"/spec/c/x","value":{}}]`, ""},
		"pointer to value": {jsonPatch, "", base, `[{"op":"replace","path":"/spec/n","value":5}]`,
			"spec.n moved asked 5; metadata.labels.b moved unnamed 1; status.ready moved unnamed 2"},
		"unreadable": {mergePatch, "", moved, `{"spec":`, ""},
	} {
		f := &flow.Flow{Method: "PUT", Target: flow.Target{Verb: "update", Subresource: c.subresource},
			RequestBody: flow.Keep([]byte(c.sent)),
			Conflict:    &flow.Conflict{Kind: flow.StaleRevision, Base: []byte(c.base), Object: []byte(moved)}}
		if c.media != "" {
			f.Method, f.Target.Verb, f.RequestHeader = "PATCH", "patch", http.Header{"Content-Type": {c.media}}
		}
		w := conflict.Compare(f, nil)
		if got := text(w); got != c.want {
			t.Errorf("%s:\n %s, want\n %s", name, got, c.want)
		}
		if w.Based != (c.base != "") || w.Partial != (c.media != "" || c.subresource == "scale") {
			t.Errorf("%s: based %v, partial %v", name, w.Based, w.Partial)
		}
	}
}

// The counts are those of the rows, fields that a hand-written body leaves out are counted as such, and each row knows
// its writer.
func TestCompare_counts(t *testing.T) {
	f := &flow.Flow{Method: "PUT", RequestBody: flow.Keep([]byte("spec: {'n': 3}")), Conflict: &flow.Conflict{
		Base: []byte(`{"spec":{"n":1,"m":1,"k":1}}`), Object: []byte(`{"spec":{"n":2,"m":2,"k":1}}`)}}
	w := conflict.Compare(f, map[string]lineage.Writer{"spec.n": {Who: "k1", Revision: 5}})
	if w.Meanwhile != 2 || w.Asked != 1 || w.Both != 1 || w.Lost != 2 || w.Omitted != 2 || w.Rows[0].By.Who != "k1" ||
		w.Rows[1].By.Who != "" {
		t.Errorf("%+v", w)
	}
}

// A body in Protobuf is compared as one in JSON is.
func TestCompare_Protobuf(t *testing.T) {
	cm := &corev1.ConfigMap{Data: map[string]string{"a": "3"}}
	cm.APIVersion, cm.Kind, cm.UID = "v1", "ConfigMap", "u"
	var b bytes.Buffer
	if err := codecs.Protobuf.Encode(&b, cm, false); err != nil {
		t.Fatal(err)
	}
	f := &flow.Flow{Method: "PUT", RequestBody: flow.Keep(b.Bytes()), Conflict: &flow.Conflict{
		Base: []byte(`{"data":{"a":"1","b":"1"}}`), Object: []byte(`{"data":{"a":"2","b":"1"}}`)}}
	if got, want := text(conflict.Compare(f, nil)), "data.a moved asked lost 3; data.b asked null"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A create differs in what it sent, not in what the stored object has besides.
func TestDifferences(t *testing.T) {
	f := &flow.Flow{RequestBody: flow.Keep([]byte(`{"kind":"X","metadata":{"name":"x","labels":{"a":"1"}},"spec":{"n":1,"m":1},"status":{}}`)), Conflict: &flow.Conflict{
		Object: []byte(`{"metadata":{"name":"x","uid":"u"},"spec":{"n":2,"m":1,"default":true},"status":{"ready":1}}`)}}
	var got []string
	for _, r := range conflict.Differences(f) {
		got = append(got, fmt.Sprint(r.Path, " ", r.Stored, " ", r.Sent))
	}
	if s := strings.Join(got, "; "); s != "metadata.labels.a <nil> 1; spec.n 2 1" {
		t.Error(s)
	}
}
