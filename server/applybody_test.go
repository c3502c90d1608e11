package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Bodies of applies that are no objects are refused in the words of kube-apiserver 1.37: what cannot be made JSON of before
// it is looked whether there is anything to apply it to, all else after.
func TestServer_applyBodies(t *testing.T) {
	url := serveDefault(t)
	mustDefine(t, url, gears)
	const (
		yaml = applyPatch
		cbor = "application/apply-patch+cbor"

		encode    = "error encoding patch: "
		decode    = "error decoding patch: "
		convert   = decode + "error converting YAML to JSON: "
		unmarshal = decode + "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
		into      = " into Go value of type map[string]interface {}"
		noKind    = "invalid object type: /, Kind="
	)
	for _, c := range []struct {
		contentType, body, want string
		late                    bool // it is told of only when there is an object
	}{
		{yaml, "a: b: c", encode + "yaml: mapping values are not allowed in this context", false},
		{yaml, `a: "b`, encode + "yaml: found unexpected end of stream", false},
		{yaml, "a:\n\tb: c", encode + "yaml: line 2: found character that cannot start any token", false},
		{yaml, "a: b\n\t\n", encode + "yaml: line 2: found a tab character that violates indentation", false},
		{yaml, "a: *x", encode + "yaml: unknown anchor 'x' referenced", false},
		{yaml, "a: &\n", encode + "yaml: did not find expected alphabetic or numeric character", false},
		{yaml, "a: \xff\xfe", encode + "yaml: invalid leading UTF-8 octet", false},
		{yaml, "a: \x01b", encode + "yaml: control characters are not allowed", false},
		{yaml, "~: 2\n", encode + "unsupported map key of type: %!s(<nil>), key: <nil>, value: 2", false},
		{yaml, "d: {<<: 3}\n", encode + "yaml: map merge requires map or sequence of maps as the value", false},
		{yaml, "a: !!binary \"x\"\n", encode + "yaml: !!binary value contains invalid base64 data", false},
		{yaml, "%FOO\na: b\n", encode + "yaml: found unknown directive name", false},
		{yaml, "a:\n  b: c\n d: e\n", encode + "yaml: line 2: did not find expected key", false},
		{yaml, "a: |\n x\ny\n", encode + "yaml: line 4: could not find expected ':'", false},
		{yaml, "- a\nb: c\n", encode + "yaml: line 1: did not find expected '-' indicator", false},
		{yaml, "a: .nan\n", encode + "json: unsupported value: NaN", false},
		{yaml, "{a: b", convert + "yaml: line 1: did not find expected ',' or '}'", true}, // it begins like JSON
		{yaml, "[1,2]", unmarshal + "array" + into, true},
		{yaml, "foo", unmarshal + "string" + into, true},
		{yaml, "7", unmarshal + "number" + into, true},
		{yaml, "null", noKind, true},
		{yaml, "", noKind, true},
		{yaml, "{}", noKind, true},
		{yaml, "a: 1\na: 2\n", noKind, true}, // what is wrong besides is not looked at
		{yaml, "a: &x {b: c}\nd: *x\n", noKind, true},
		{yaml, "a: b\n---\nc: d\n", noKind, true},
		{yaml, "kind: 7\napiVersion: v1\n", "invalid object type: /v1, Kind=", true},
		{cbor, "\xff", decode + `cbor: unexpected "break" code`, false},
		{cbor, "", decode + "EOF", false},
		{cbor, "\xa1", decode + "unexpected EOF", false},
		{cbor, "\xa2Aa\x01Aa\x02", decode + `cbor: found duplicate map key "a" at map element index 1`, false},
		{cbor, "\x80", decode + "cbor: cannot unmarshal array" + into, true},
		{cbor, "\x07", decode + "cbor: cannot unmarshal positive integer" + into, true},
		{cbor, "\xf6", noKind, true},
	} {
		for _, path := range []string{configMaps + "/a", "/apis/example.com/v1/namespaces/default/gears/a"} {
			code, body := send(t, url, request{method: "PATCH", path: path + "?fieldManager=m&fieldValidation=Strict", contentType: c.contentType, body: c.body})
			if got := lasting(t, body); code != 400 || got != badRequest(c.want) {
				t.Errorf("%s %q to %s: %d %s\nwant %q", c.contentType, c.body, path, code, got, c.want)
			}
		}
		want, code := badRequest(c.want), 400
		if c.late {
			want, code = `{"code":404,"details":{"kind":"pods","name":"a"},"message":"pods \"a\" not found","reason":"NotFound"}`, 404
		}
		playExactly(t, url, []exact{{fmt.Sprintf("%q to the status of nothing", c.body), request{method: "PATCH",
			path: "/api/v1/namespaces/default/pods/a/status?fieldManager=m", contentType: c.contentType, body: c.body}, code, want}})
	}
	// A key that stands twice is refused or told of when the apply has succeeded.
	const twice = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: \"1\", x: \"2\"}\n"
	playExactly(t, url, []exact{
		{"twice", request{method: "PATCH", path: configMaps + "/a?fieldManager=m&fieldValidation=Strict", contentType: yaml, body: twice}, 400,
			badRequest("error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key \"x\" already set in map")},
		{"twice", request{method: "PATCH", path: configMaps + "/a?fieldManager=m", contentType: yaml, body: twice}, 201,
			`{"apiVersion":"v1","data":{"x":"2"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}`},
	})
}

// badRequest is a 400 with a message.
func badRequest(message string) string {
	text, _ := json.Marshal(map[string]any{"code": 400, "reason": "BadRequest", "message": message})
	return string(text)
}
