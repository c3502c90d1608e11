package object_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kubarium/flow/object"
)

// The fields of an object are found as a JSON decoder finds them.
func TestMember(t *testing.T) {
	const obj = ` { "a" : "x\\\"y" , "b":{"a":[1,"}"]},"c":[{"b":2}], "d":-1.5e3 ,"e":null,"":true}`
	for name, want := range map[string]string{"a": `"x\\\"y"`, "b": `{"a":[1,"}"]}`, "c": `[{"b":2}]`, "d": "-1.5e3",
		"e": "null", "": "true", "f": ""} {
		if got := string(object.Member([]byte(obj), name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, bad := range []string{"", "[]", `"a"`, "{", `{"a"`, `{"a":`, `{"a":"`, `{"a":[`, `{a:1}`, `{"b":1 "a":2}`} {
		if got := object.Member([]byte(bad), "a"); len(got) > 0 {
			t.Errorf("%s: %s", bad, got)
		}
	}
}

// Whatever is an object for the decoder has the same fields here; nothing else makes it panic.
func FuzzMembers(f *testing.F) {
	f.Add(`{"a":{"b":[1,{"c":"\\\""}]},"d":null}`)
	f.Add(`{"a":1}{"b":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		got := map[string]string{}
		object.Members([]byte(text), func(name, raw []byte) bool { got[string(name)] = string(raw); return true })
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &want) != nil || strings.Contains(text, "\\u") || !json.Valid([]byte(text)) {
			return
		}
		for name, raw := range want {
			if is, ok := got[name]; !strings.Contains(name, "\\") && !strings.ContainsAny(name, "\"\n\t\r\b\f/\ufffd") &&
				(!ok || strings.TrimSpace(is) != strings.TrimSpace(string(raw))) {
				t.Errorf("%q: %q, want %q", name, is, raw)
			}
		}
	})
}
