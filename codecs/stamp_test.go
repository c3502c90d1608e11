package codecs_test

import (
	"encoding/json"
	"testing"

	"kubarium/codecs"
)

func TestStamp(t *testing.T) {
	for _, c := range []struct{ name, value, version, object, item string }{
		{"as written", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","labels":{"x":"y"}},"data":{}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"x":"y"}},"data":{}}`,
			`{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"x":"y"}},"data":{}}`},
		{"nothing behind", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"empty metadata", `{"kind":"K","apiVersion":"v1","metadata":{}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"resourceVersion":"7"}}`, `{"metadata":{"resourceVersion":"7"}}`},
		{"no version", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}}`, "",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}}`, `{"metadata":{"name":"a"}}`},
		{"other order", `{"metadata":{"name":"a"},"apiVersion":"v1","kind":"K"}`, "7",
			`{"apiVersion":"v1","kind":"K","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"a version from outside", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"}}`, "7",
			`{"apiVersion":"v1","kind":"K","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"the word elsewhere", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a"},"x":{"resourceVersion":"1"}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"},"x":{"resourceVersion":"1"}}`,
			`{"metadata":{"name":"a","resourceVersion":"7"},"x":{"resourceVersion":"1"}}`},
	} {
		if got := string(codecs.Stamp(nil, []byte(c.value), c.version)); got != c.object {
			t.Errorf("%s: Stamp\n got %s\nwant %s", c.name, got, c.object)
		}
		if got := string(codecs.StampItem(nil, []byte(c.value), codecs.FindPlace([]byte(c.value)), c.version)); got != c.item {
			t.Errorf("%s: StampItem\n got %s\nwant %s", c.name, got, c.item)
		}
	}
}

// FuzzStamp: whatever object is stamped, it stays an object, and its version is the one given.
func FuzzStamp(f *testing.F) {
	f.Add(`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","uid":"u"}}`)
	f.Add(`{"metadata":{"resourceVersion":"3"},"kind":"K"}`)
	f.Fuzz(func(t *testing.T, value string) {
		var in struct {
			Metadata map[string]json.RawMessage `json:"metadata"`
		}
		if json.Unmarshal([]byte(value), &in) != nil || in.Metadata == nil {
			t.Skip()
		}
		var out struct {
			Metadata struct {
				ResourceVersion string `json:"resourceVersion"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal(codecs.Stamp(nil, []byte(value), "7"), &out); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
	})
}
