package codecs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kubarium/codecs"
)

func TestStamp(t *testing.T) {
	for _, c := range []struct{ name, value, version, object, item string }{
		{"as written", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","labels":{"x":"y"}},"data":{}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"x":"y"}},"data":{}}`,
			`{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"x":"y"}},"data":{}}`},
		{"nothing after it", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"empty metadata", `{"kind":"K","apiVersion":"v1","metadata":{}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"resourceVersion":"7"}}`, `{"metadata":{"resourceVersion":"7"}}`},
		{"no version", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}}`, "",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a"}}`, `{"metadata":{"name":"a"}}`},
		{"other order", `{"metadata":{"name":"a"},"apiVersion":"v1","kind":"K"}`, "7",
			`{"apiVersion":"v1","kind":"K","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"a version from outside", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"}}`, "7",
			`{"apiVersion":"v1","kind":"K","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"a quote in a name", `{"kind":"K","apiVersion":"v1","metadata":{"generateName":"a\",b","uid":"u"}}`, "7",
			`{"apiVersion":"v1","kind":"K","metadata":{"generateName":"a\",b","resourceVersion":"7","uid":"u"}}`,
			`{"metadata":{"generateName":"a\",b","resourceVersion":"7","uid":"u"}}`},
		{"the word elsewhere", `{"kind":"K","apiVersion":"v1","metadata":{"name":"a"},"x":{"resourceVersion":"1"}}`, "7",
			`{"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"},"x":{"resourceVersion":"1"}}`,
			`{"metadata":{"name":"a","resourceVersion":"7"},"x":{"resourceVersion":"1"}}`},
		{"sorted", `{"apiVersion":"e.io/v1","kind":"K","metadata":{"annotations":{"a":"}\""},"name":"a","uid":"u"},"spec":{"metadata":{}}}`, "7",
			`{"apiVersion":"e.io/v1","kind":"K","metadata":{"annotations":{"a":"}\""},"name":"a","resourceVersion":"7","uid":"u"},"spec":{"metadata":{}}}`,
			`{"metadata":{"annotations":{"a":"}\""},"name":"a","resourceVersion":"7","uid":"u"},"spec":{"metadata":{}}}`},
		{"sorted, nothing after it", `{"apiVersion":"e.io/v1","kind":"K","metadata":{"name":"a"}}`, "7",
			`{"apiVersion":"e.io/v1","kind":"K","metadata":{"name":"a","resourceVersion":"7"}}`, `{"metadata":{"name":"a","resourceVersion":"7"}}`},
		{"sorted, empty metadata", `{"apiVersion":"e.io/v1","kind":"K","metadata":{}}`, "7",
			`{"apiVersion":"e.io/v1","kind":"K","metadata":{"resourceVersion":"7"}}`, `{"metadata":{"resourceVersion":"7"}}`},
		{"sorted, a version from outside", `{"apiVersion":"e.io/v1","kind":"K","metadata":{"uid":"u","resourceVersion":"1"}}`, "7",
			`{"apiVersion":"e.io/v1","kind":"K","metadata":{"resourceVersion":"7","uid":"u"}}`, `{"metadata":{"resourceVersion":"7","uid":"u"}}`},
	} {
		if got := string(codecs.Stamp(nil, []byte(c.value), codecs.FindPlace([]byte(c.value)), c.version)); got != c.object {
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
	f.Add(`{"apiVersion":"v1","kind":"K","metadata":{"labels":{"a":"b"},"uid":"u"}}`)
	f.Fuzz(func(t *testing.T, value string) {
		var in, meta map[string]json.RawMessage
		if json.Unmarshal([]byte(value), &in) != nil || json.Unmarshal(in["metadata"], &meta) != nil || meta == nil ||
			strings.Count(value, "etadata") > 1 || strings.Contains(value, "\\u") {
			t.Skip()
		}
		var out struct {
			Metadata struct {
				ResourceVersion string `json:"resourceVersion"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal(codecs.Stamp(nil, []byte(value), codecs.FindPlace([]byte(value)), "7"), &out); err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if out.Metadata.ResourceVersion != "7" {
			t.Fatalf("%s: version %q", value, out.Metadata.ResourceVersion)
		}
	})
}

func TestMember(t *testing.T) {
	for _, c := range []struct{ object, name, want string }{
		{`{"a":1,"b":{"c":"}\""},"d":[1,2]}`, "b", `{"c":"}\""}`},
		{`{"a":1,"b":{"c":"}\""},"d":[1,2]}`, "d", `[1,2]`},
		{`{"a":1}`, "b", ``},
		{`{}`, "b", ``},
		{`{ "a" : 1, "b" : [ 2 ] }`, "b", `[ 2 ]`},
		{`{"a":"x\\","b":null}`, "b", `null`},
		{`[1]`, "a", ``},
		{`{"a":`, "a", ``},
	} {
		if got := string(codecs.Member([]byte(c.object), c.name)); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.name, c.object, got, c.want)
		}
	}
}

// FuzzMember: what is found in an object is what any JSON decoder finds there.
func FuzzMember(f *testing.F) {
	f.Add(`{"a":1,"b":{"c":"}\""},"d":[1,2]}`, "b")
	f.Fuzz(func(t *testing.T, object, name string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(object), &members) != nil || members == nil || strings.ContainsAny(object, "\\\ufffd") || strings.ContainsAny(name, "\"\ufffd") ||
			strings.Count(object, `"`+name+`"`) > 1 {
			t.Skip()
		}
		got := codecs.Member([]byte(object), name)
		if strings.TrimSpace(string(got)) != strings.TrimSpace(string(members[name])) {
			t.Fatalf("%q of %q: got %q, want %q", name, object, got, members[name])
		}
	})
}
