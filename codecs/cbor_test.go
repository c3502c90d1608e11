package codecs_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"kubarium/codecs"
)

// mustHex is the bytes of a hex text; spaces have no meaning.
func mustHex(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// wireConfigMap is a ConfigMap as it goes over the wire: the tag 55799, then a map of four keys, the shorter ones first.
const wireConfigMap = "d9d9f7 a4 44 64617461 a1 41 6b 41 76 44 6b696e64 49 436f6e6669674d6170 48 6d65746164617461 a1 44 6e616d65 41 61 4a 61706956657273696f6e 42 7631"

// The same object is the same bytes, whatever happens in the process's maps.
func TestCBOR_Wire(t *testing.T) {
	cm := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}
	for range 20 {
		var b bytes.Buffer
		if err := codecs.CBOR.Encode(&b, cm, true); err != nil {
			t.Fatal(err)
		}
		if want := mustHex(t, wireConfigMap); !bytes.Equal(b.Bytes(), want) {
			t.Fatalf("got  %x\nwant %x", b.Bytes(), want)
		}
	}
}

// Bodies that are no ConfigMap, or no CBOR.
func TestCBOR_BadBody(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"break", "ffffffff", `the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: cbor: unexpected "break" code (ffffffff)`},
		{"cut", "d9d9f7a3646b696e6469436f6e6669", `the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: unexpected EOF (d9d9f7a3646b696e6469436f6e6669)`},
		{"empty", "", `the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: EOF (<empty>)`},
		{"JSON", hex.EncodeToString([]byte(`{"kind":"ConfigMap"}`)), `the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: `},
		{"key twice", "a2 41 61 01 41 61 02", `the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: cbor: found duplicate map key`},
		{"two items", "a0 a0", `the object provided is unrecognized (must be of type ConfigMap): unable to determine group/version/kind: cbor: 1 bytes of extraneous data`},
		{"other kind", "a1 44 6b696e64 46 536563726574", `Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (v1.ConfigMap): unknown conversion`},
		{"unknown field", "a1 43 666f6f 01", `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: cbor: found unknown field at map element index 0`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			body := mustHex(t, c.body)
			_, gvk, _, err := codecs.CBOR.Decode(body, configMap, &corev1.ConfigMap{}, codecs.Strict)
			if err == nil {
				t.Fatal("decoded")
			}
			err = codecs.DecodeError(err, gvk, "ConfigMap", body)
			if !apierrors.IsBadRequest(err) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// Simple values but false, true and null are refused in what is decoded, and passed over in a field that is not known, as in
// the release of Kubernetes that is followed.
func TestCBOR_SimpleValues(t *testing.T) {
	for body, want := range map[string]string{
		"a1 41 61 f7": "", "a1 41 61 e0": "", "a1 44 64617461 f6": "",
		"a1 44 64617461 f7": "simple value 23 is not recognized", "a1 44 64617461 e0": "simple value 0 is not recognized",
	} {
		_, _, _, err := codecs.CBOR.Decode(mustHex(t, body), configMap, &corev1.ConfigMap{}, codecs.Ignore)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", body, err, want)
		}
	}
}

// An unknown field is one warning under Warn, none under Ignore, and the rest is decoded.
func TestCBOR_UnknownField(t *testing.T) {
	body := mustHex(t, "a2 43 666f6f 01 48 6d65746164617461 a1 44 6e616d65 41 61")
	for v, want := range map[codecs.Validation]string{codecs.Ignore: "", codecs.Warn: "cbor: found unknown field at map element index 0"} {
		obj, _, warnings, err := codecs.CBOR.Decode(body, configMap, &corev1.ConfigMap{}, v)
		if err != nil || strings.Join(warnings, "|") != want || obj.(*corev1.ConfigMap).Name != "a" {
			t.Errorf("%d: %v, warnings %q, %v", v, obj, warnings, err)
		}
	}
}

// A stream is a sequence of items, each an event around the object as it was encoded.
func TestCBOR_Frames(t *testing.T) {
	object := mustHex(t, wireConfigMap)
	var b bytes.Buffer
	for _, event := range []string{"ADDED", "DELETED"} {
		if err := codecs.CBOR.Frame(&b, event, object); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(b.Bytes(), object) {
		t.Errorf("the object is not in the frame as it was: %x", b.Bytes())
	}
	d := cbor.NewDecoder(&b)
	for _, want := range []string{"ADDED", "DELETED"} {
		var item cbor.RawMessage
		if err := d.Decode(&item); err != nil {
			t.Fatal(err)
		}
		var event map[string]any
		if err := direct.Unmarshal(item, &event); err != nil {
			t.Fatal(err)
		}
		if got, ok := event["object"].(map[string]any); event["type"] != want || !ok || got["kind"] != "ConfigMap" {
			t.Errorf("%s came as %v", want, event)
		}
	}
	if d.NumBytesRead() == 0 || b.Len() > 0 {
		t.Errorf("%d bytes are left", b.Len())
	}
}
