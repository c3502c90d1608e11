package tui

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/server/flow"
)

// A body in Protobuf or CBOR is shown as what it says, and as its bytes when these are asked for.
func TestBodyLines_binary(t *testing.T) {
	cm := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, Data: map[string]string{"colour": "blue"}}
	for _, c := range []*codecs.Codec{codecs.Protobuf, codecs.CBOR} {
		var b bytes.Buffer
		if err := c.Encode(&b, cm, false); err != nil {
			t.Fatal(err)
		}
		for format, want := range map[bodyFormat]string{asJSON: `"colour": "blue"`, asYAML: "colour: blue", asHex: "000000  "} {
			if got := textOf(bodyLines(b.Bytes(), format, 80)); !strings.Contains(got, want) {
				t.Errorf("%s as %s: no %q in\n%s", c.Name, format, want, got)
			}
		}
		if got := textOf(bodyLines(b.Bytes()[:b.Len()/2], asJSON, 80)); strings.Contains(got, "kind") && !strings.Contains(got, "0000") {
			t.Errorf("%s, cut: %s", c.Name, got)
		}
	}
}

func textOf(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// A binary body is shown field by field beside its bytes: Protobuf with the numbers and names of its fields, CBOR in
// diagnostic notation. Every byte is accounted for.
func TestBodyLines_wire(t *testing.T) {
	yes := true
	cm := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, Immutable: &yes,
		ObjectMeta: metav1.ObjectMeta{Name: "sea", CreationTimestamp: metav1.Unix(1000, 0)},
		Data:       map[string]string{"colour": "blue"}, BinaryData: map[string][]byte{"b": {0, 1}},
	}
	for c, want := range map[*codecs.Codec][]string{
		codecs.Protobuf: {"0000 6b 38 73 00", "1 typeMeta { ", `1 apiVersion "v1"`, `2 kind "ConfigMap"`, "2 raw { the object", "1 metadata { ", `1 name "sea"`,
			"8 creationTimestamp { ", "1 seconds 1000", "2 data { ", `1 key "colour"`, `2 value "blue"`, "4 immutable true", `3 binaryData`, "2 value 2 B .."},
		codecs.CBOR: {"55799( this is CBOR", "'kind':", "'ConfigMap'", "{ 1 pair", "'colour':", "'blue'", "true", "h'0001'"},
	} {
		var b bytes.Buffer
		if err := c.Encode(&b, cm, false); err != nil {
			t.Fatal(err)
		}
		got := textOf(bodyLines(b.Bytes(), asWire, 120))
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %q in\n%s", c.Name, s, got)
			}
		}
		if cut := bodyLines(b.Bytes()[:b.Len()-3], asWire, 120); !strings.Contains(textOf(cut), "000000  ") {
			t.Errorf("%s, cut: not shown as bytes:\n%s", c.Name, textOf(cut))
		}
	}
}

// Whatever the bytes are, to lay them out ends, and does not panic.
func FuzzWireLines(f *testing.F) {
	for _, c := range []*codecs.Codec{codecs.Protobuf, codecs.CBOR} {
		var b bytes.Buffer
		if err := c.Encode(&b, &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, Data: map[string]string{"a": "b"}}, false); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("k8s\x00\x12\x02\x0a\x00"))
	f.Add([]byte{0x9f, 0xbf, 0xff, 0xff})
	f.Add([]byte{0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, l := range wireLines(b, 60) {
			if l.width() > 60 {
				t.Errorf("%d cells: %s", l.width(), l.String())
			}
		}
		reencodings(b, "protobuf")
		reencodings(b, "cbor")
	})
}

// A packed body is shown unpacked, with both sizes, and the sizes that the other encodings would have.
func TestInspector_WireLine(t *testing.T) {
	const body = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null},"data":{"k":"v"}}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(body)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	d := newDemo(flow.Limits{})
	for _, b := range [][]byte{[]byte(body), packed.Bytes()} {
		f := d.request("A", "get", "deployments", "web", 200, 1)
		f.ResponseBody = flow.Keep(b)
		d.log.Publish(f)
	}
	u, _ := testUI(d, "mono", 160, 48)
	u.keys("]", "]")
	mustSee(t, u, "● json gzip", `"k": "v"`, "○ protobuf", "○ cbor", "of 105 B", "shown as  json  yaml  table  hex")
	u.keys("k")
	mustSee(t, u, "● json 105 B")
}
