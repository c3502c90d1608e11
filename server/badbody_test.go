package server_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
)

func mustProtobuf(t *testing.T, obj runtime.Object) string {
	t.Helper()
	var b bytes.Buffer
	if err := codecs.Protobuf.Encode(&b, obj, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A body that is broken in whichever way its form can be gets a 400 that says how, and changes nothing.
func TestServer_badBodies(t *testing.T) {
	const (
		yaml         = "application/yaml"
		protobuf     = "application/vnd.kubernetes.protobuf"
		cbor         = "application/cbor"
		json         = "application/json"
		unrecognized = "the object provided is unrecognized (must be of type ConfigMap): "
		pod          = `Pod in version "v1" cannot be handled as a ConfigMap: converting (v1.Pod) to (core.ConfigMap): unknown conversion`
		noCBOR       = unrecognized + "unable to determine group/version/kind: "
	)
	meta := metav1.ObjectMeta{Name: "p"}
	whole := mustProtobuf(t, &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, ObjectMeta: meta, Data: map[string]string{"k": "v"}})
	item := mustCBOR(t, configMapObject("c", "1"))
	url := serveDefault(t)
	for _, c := range []struct{ name, contentType, body, want string }{
		{"truncated", json, `{"metadata":{"name":"a"`, unrecognized + "couldn't get version/kind; json parse error: unexpected end of JSON input ({\"metadata\":{\"name\":\"a\")"},
		{"too deep", json, `{"data":` + strings.Repeat("[", 11000) + strings.Repeat("]", 11000) + "}", unrecognized + "couldn't get version/kind; json parse error: invalid character '[' exceeded max depth ("},
		{"another kind", json, `{"kind":"Pod","apiVersion":"v1"}`, pod},
		{"a wrong type", json, `{"data":7}`, `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string`},
		{"truncated", yaml, "metadata: {name: a", unrecognized + "yaml: line 1: did not find expected ',' or '}' (6d657461646174613a207b6e616d653a2061)"},
		{"a tab", yaml, "metadata:\n\tname: a", unrecognized + "yaml: line 2: found character that cannot start any token ("},
		{"too deep", yaml, "data: " + strings.Repeat("[", 11000) + strings.Repeat("]", 11000), unrecognized + "yaml: exceeded max depth of 10000 ("},
		{"a scalar", yaml, "seven", unrecognized + "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct "},
		{"another kind", yaml, "kind: Pod\napiVersion: v1\n", pod},
		{"a wrong type", yaml, "metadata: {name: p}\ndata: 7\n", `ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string`},
		{"truncated", protobuf, whole[:len(whole)-3], unrecognized + "unexpected EOF (6b3873000a0f0a0276311209436f6e6669674d617012"},
		{"truncated in its envelope", protobuf, whole[:8], unrecognized + "unexpected EOF (6b3873000a0f0a02)"},
		{"no envelope", protobuf, "abcdefgh", unrecognized + "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (6162636465666768)"},
		{"an empty envelope", protobuf, "k8s\x00", unrecognized + "empty body (6b387300)"},
		{"nothing", protobuf, "", unrecognized + "empty data (<empty>)"},
		{"another kind", protobuf, mustProtobuf(t, &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: meta}), pod},
		{"an unknown kind", protobuf, strings.Replace(whole, "ConfigMap", "ConfigMop", 1), `ConfigMop in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMop" is registered for version "v1" in scheme`},
		{"a wrong type", protobuf, mustProtobuf(t, &runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, Raw: []byte{0x0a, 0x02, 0x08, 0x01}}),
			`ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field Name`},
		{"truncated", cbor, item[:len(item)-3], noCBOR + "unexpected EOF ("},
		{"followed by more", cbor, item + "\x00", noCBOR + "cbor: 1 bytes of extraneous data starting at index 57 ("},
		{"too deep", cbor, "\xa1Ddata" + strings.Repeat("\x81", 70000) + "\x00", noCBOR + "cbor: exceeded max nested level "},
		{"without an end", cbor, "\xbf", noCBOR + "unexpected EOF (bf)"},
		{"nothing", cbor, "", noCBOR + "EOF (<empty>)"},
		{"a scalar", cbor, "\x07", noCBOR + "cbor: cannot unmarshal positive integer into Go value of type v1.TypeMeta (07)"},
		{"a key twice", cbor, "\xa2DkindAaDkindAb", noCBOR + `cbor: found duplicate map key "kind" at map element index 1 (a2446b696e644161446b696e644162)`},
		{"another kind", cbor, mustCBOR(t, map[string]any{"kind": "Pod", "apiVersion": "v1"}), pod},
		{"a wrong type", cbor, mustCBOR(t, map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "data": 7}),
			`ConfigMap in version "v1" cannot be handled as a ConfigMap: cbor: cannot unmarshal positive integer into Go struct field v1.ConfigMap.data of type map[string]string`},
	} {
		code, body := send(t, url, request{method: "POST", path: configMaps, contentType: c.contentType, body: c.body})
		status := mustStatus(t, body)
		if code != http.StatusBadRequest || status.Reason != metav1.StatusReasonBadRequest || !strings.HasPrefix(status.Message, c.want) {
			t.Errorf("%s, %s: %d %.300q\nwant %q", c.contentType, c.name, code, status.Message, c.want)
		}
	}
	if _, body := send(t, url, request{method: "GET", path: configMaps}); !strings.Contains(body, `"items":[]`) {
		t.Errorf("something was stored: %s", body)
	}
}

// mustStatus is a Status in JSON.
func mustStatus(t *testing.T, body string) *metav1.Status {
	t.Helper()
	status := &metav1.Status{}
	if _, _, _, err := codecs.JSON.Decode([]byte(body), metav1.Unversioned.WithKind("Status"), status, codecs.Strict); err != nil {
		t.Fatalf("%v: %.200s", err, body)
	}
	return status
}
