package doctor

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/flow/object"
)

// The fields that changed are those that a comparison of all leaves shows.
func TestChangedLeaves(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing": {`{"a":1}`, `{"a":1}`, ""},
		"written": {`{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`, ""},
		"value":   {`{"s":{"a":1,"b":2}}`, `{"s":{"a":1,"b":3}}`, "s.b=3"},
		"added":   {`{"s":{}}`, `{"s":{},"d":{"x":"y"}}`, "d.x=y"},
		"removed": {`{"s":{"a":1},"d":2}`, `{"s":{}}`, "d=null s={} s.a=null"},
		"labels": {`{"metadata":{"labels":{"a":"1"},"resourceVersion":"1","managedFields":[{}]}}`,
			`{"metadata":{"labels":{"a":"2"},"resourceVersion":"2"}}`, "metadata.labels.a=2"},
		"no labels": {`{"metadata":{"labels":{"a":"1"},"name":"x"}}`, `{"metadata":{"name":"x"}}`, "metadata.labels.a=null"},
		"by name": {`{"c":[{"name":"a","v":1},{"name":"b","v":1}]}`, `{"c":[{"name":"b","v":1},{"name":"a","v":2}]}`,
			"c[a].v=2"},
		"generation": {`{"metadata":{"generation":1}}`, `{"metadata":{"generation":2}}`, ""},
	} {
		_, after := changedLeaves(&flow.Effect{Before: flow.Bytes(c.before), After: flow.Bytes(c.after)})
		var got []string
		for _, path := range slices.Sorted(maps.Keys(after)) {
			got = append(got, path+"="+object.Text(after[path]))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// Each rule has its texts, and none is without a rule.
func TestAllRules(t *testing.T) {
	var made, described []string
	for _, r := range allRules() {
		made = append(made, r.name)
	}
	for _, r := range Rules() {
		described = append(described, r.Name)
	}
	if !slices.Equal(made, described) {
		t.Errorf("rules %q, texts of %q", made, described)
	}
}
