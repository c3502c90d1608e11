package conflict_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"kubarium/analysis/conflict"
	"kubarium/flow"
	"kubarium/flow/object"
)

// What both sides changed is kept where it is of different fields; where it is not the fields are named, and theirs
// stays.
func TestMerge(t *testing.T) {
	const base = `{"metadata":{"resourceVersion":"1","labels":{"a":"1","b":"1"}},"spec":{"n":1,"args":["x"],"c":[{"name":"p","i":1},{"name":"q","i":1}]},"status":{"n":1}}`
	for name, c := range map[string]struct{ mine, theirs, want, clashes string }{
		"different fields": {`{"metadata":{"resourceVersion":"1","labels":{"a":"2","b":"1"}},"spec":{"n":1,"args":["x"],"c":[{"name":"p","i":1},{"name":"q","i":1}]},"status":{"n":1}}`,
			`{"metadata":{"resourceVersion":"5","labels":{"a":"1","b":"1"}},"spec":{"n":3,"args":["x"],"c":[{"name":"p","i":1},{"name":"q","i":1}]},"status":{"n":4}}`,
			`{"metadata":{"resourceVersion":"5","labels":{"a":"2","b":"1"}},"spec":{"n":3,"args":["x"],"c":[{"name":"p","i":1},{"name":"q","i":1}]},"status":{"n":4}}`, "[]"},
		"one field": {`{"spec":{"n":2}}`, `{"spec":{"n":3}}`, `{"spec":{"n":3}}`, "[spec.n]"},
		"the same":  {`{"spec":{"n":3}}`, `{"spec":{"n":3}}`, `{"spec":{"n":3}}`, "[]"},
		"items": {`{"spec":{"n":1,"c":[{"name":"p","i":2},{"name":"mine"}]}}`,
			`{"spec":{"n":1,"c":[{"name":"new"},{"name":"p","i":1},{"name":"q","i":1}]}}`,
			`{"spec":{"n":1,"c":[{"name":"new"},{"name":"p","i":2},{"name":"mine"}]}}`, "[]"},
		"an item that is gone": {`{"spec":{"n":1,"c":[{"name":"p","i":2},{"name":"q","i":1}]}}`,
			`{"spec":{"n":1,"c":[{"name":"q","i":1}]}}`, `{"spec":{"n":1,"c":[{"name":"q","i":1}]}}`, "[spec.c[p]]"},
		"plain lists": {`{"spec":{"args":["x","y"]}}`, `{"spec":{"args":["z"]}}`, `{"spec":{"args":["z"]}}`,
			"[spec.args]"},
		"the status is theirs": {`{"status":{"n":9}}`, `{"status":{"n":4}}`, `{"status":{"n":4}}`, "[]"},
		"a field is removed": {`{"metadata":{"labels":{"a":"1"}}}`, `{"metadata":{"labels":{"a":"1","b":"1","c":"1"}}}`,
			`{"metadata":{"labels":{"a":"1","c":"1"}}}`, "[]"},
	} {
		from := base
		if name != "different fields" {
			from = trimmed(base, c.mine, c.theirs)
		}
		merged, clashes := conflict.Merge(object.Parse([]byte(from)), object.Parse([]byte(c.mine)),
			object.Parse([]byte(c.theirs)))
		if !object.Same(merged, object.Parse([]byte(c.want))) || fmt.Sprint(clashes) != c.clashes {
			got, _ := json.Marshal(merged)
			t.Errorf("%s: %s %v, want %s %s", name, got, clashes, c.want, c.clashes)
		}
	}
}

// trimmed is an object with those of its fields that one of two others has, two levels deep.
func trimmed(base string, others ...string) string {
	o := object.Parse([]byte(base)).(map[string]any)
	out := map[string]any{}
	for _, other := range others {
		for part, v := range object.Parse([]byte(other)).(map[string]any) {
			for name := range v.(map[string]any) {
				if out[part] == nil {
					out[part] = map[string]any{}
				}
				out[part].(map[string]any)[name] = object.In(o, part, name)
			}
		}
	}
	b, _ := json.Marshal(out)
	return string(b)
}

// Where Compare finds no field that both sides changed, nothing clashes, and the merged object has all that either
// changed.
func TestMerge_AsCompared(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() map[string]any {
		data := map[string]any{}
		for _, name := range []string{"a", "b", "c"} {
			if n := r.IntN(3); n > 0 {
				data[name] = fmt.Sprint(n)
			}
		}
		return map[string]any{"metadata": map[string]any{"uid": "u"}, "data": data, "fixed": "x"}
	}
	clashed := 0
	for range 2000 {
		base, mine, theirs := random(), random(), random()
		text := func(v any) []byte { b, _ := json.Marshal(v); return b }
		f := &flow.Flow{Method: "PUT", RequestBody: flow.Keep(text(mine)),
			Conflict: &flow.Conflict{Kind: flow.StaleRevision, Base: text(base), Object: text(theirs)}}
		w := conflict.Compare(f, nil)
		merged, clashes := conflict.Merge(base, mine, theirs)
		if (w.Both > 0) != (len(clashes) > 0) {
			// Compare does not count a field that one side removed and the other changed as changed on both.
			if !slices.ContainsFunc(clashes,
				func(path string) bool { return object.In(mine, "data", path[len("data."):]) == nil }) {
				t.Fatalf("%d fields on both sides, clashes %v: %s %s %s", w.Both, clashes, text(base), text(mine), text(theirs))
			}
		}
		clashed += len(clashes)
		for _, name := range []string{"a", "b", "c"} {
			b, x, y, got := object.In(base, "data", name), object.In(mine, "data", name), object.In(theirs, "data", name),
				object.In(merged, "data", name)
			want := y
			if object.Same(y, b) {
				want = x
			}
			if !object.Same(got, want) {
				t.Fatalf("%s: %v %v %v became %v", name, b, x, y, got)
			}
		}
	}
	if clashed == 0 {
		t.Error("nothing ever clashed")
	}
}
