package body_test

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/tui/body"
	"kubarium/tui/term"
)

// A Protobuf or CBOR body is decoded, or shown as bytes on request.
func TestLines_binary(t *testing.T) {
	cm := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
		Data: map[string]string{"colour": "blue"}}
	for _, c := range []*codecs.Codec{codecs.Protobuf, codecs.CBOR} {
		var b bytes.Buffer
		if err := c.Encode(&b, cm, false); err != nil {
			t.Fatal(err)
		}
		for format, want := range map[body.Format]string{body.JSON: `"colour": "blue"`, body.YAML: "colour: blue",
			body.Hex: "000000  "} {
			if got := textOf(body.Lines(b.Bytes(), format, 80)); !strings.Contains(got, want) {
				t.Errorf("%s as %s: no %q in\n%s", c.Name, format, want, got)
			}
		}
		if got := textOf(body.Lines(b.Bytes()[:b.Len()/2], body.JSON, 80)); strings.Contains(got, "kind") &&
			!strings.Contains(got, "0000") {
			t.Errorf("%s, cut: %s", c.Name, got)
		}
	}
}

func textOf(lines []term.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// A binary body is shown field by field next to its bytes: Protobuf with numbers and names of fields, CBOR in
// diagnostic notation. Every byte is shown.
func TestLines_wire(t *testing.T) {
	yes := true
	cm := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, Immutable: &yes,
		ObjectMeta: metav1.ObjectMeta{Name: "sea", CreationTimestamp: metav1.Unix(1000, 0)},
		Data:       map[string]string{"colour": "blue"}, BinaryData: map[string][]byte{"b": {0, 1}},
	}
	for c, want := range map[*codecs.Codec][]string{
		codecs.Protobuf: {"0000 6b 38 73 00", "1 typeMeta { ", `1 apiVersion "v1"`, `2 kind "ConfigMap"`,
			"2 raw { the object", "1 metadata { ", `1 name "sea"`,
			"8 creationTimestamp { ", "1 seconds 1000", "2 data { ", `1 key "colour"`, `2 value "blue"`,
			"4 immutable true", `3 binaryData`, "2 value 2 B .."},
		codecs.CBOR: {"55799( this is CBOR", "'kind':", "'ConfigMap'", "{ 1 pair", "'colour':", "'blue'", "true",
			"h'0001'"},
	} {
		var b bytes.Buffer
		if err := c.Encode(&b, cm, false); err != nil {
			t.Fatal(err)
		}
		got := textOf(body.Lines(b.Bytes(), body.Wire, 120))
		for _, s := range want {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %q in\n%s", c.Name, s, got)
			}
		}
		if cut := body.Lines(b.Bytes()[:b.Len()-3], body.Wire, 120); !strings.Contains(textOf(cut), "000000  ") {
			t.Errorf("%s, cut: not shown as bytes:\n%s", c.Name, textOf(cut))
		}
	}
}

// Formatting any bytes ends, and does not panic.
func FuzzWireLines(f *testing.F) {
	for _, c := range []*codecs.Codec{codecs.Protobuf, codecs.CBOR} {
		var b bytes.Buffer
		if err := c.Encode(&b, &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
			Data: map[string]string{"a": "b"}}, false); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("k8s\x00\x12\x02\x0a\x00"))
	f.Add([]byte{0x9f, 0xbf, 0xff, 0xff})
	f.Add([]byte{0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, l := range body.Lines(b, body.Wire, 60) {
			if l.Width() > 60 {
				t.Errorf("%d cells: %s", l.Width(), l.String())
			}
		}
		body.Reencodings(b, "protobuf")
		body.Reencodings(b, "cbor")
	})
}

// The difference of two texts is the lines to remove and to add.
func TestDiff(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "x", "+ x"}, {"x", "", "- x"}, {"a b c", "a c", "  a|- b|  c"}, {"a b", "a x b", "  a|+ x|  b"},
		{"a", "b", "- a|+ b"},
		{"a b", "a b", "  no difference"}, {"a b c d e f", "A b c d e f", "- a|+ A|  b|  c|  ⋮"},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		var got []string
		for _, l := range body.Diff(a, b, 80) {
			got = append(got, l.String())
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q → %q: %q, want %q", c.a, c.b, s, c.want)
		}
		more, less := body.Differing(a, b)
		if m, l := strings.Count(c.want, "+ "), strings.Count(c.want, "- "); more != m || less != l {
			t.Errorf("%q → %q: %d more, %d less", c.a, c.b, more, less)
		}
	}
}
