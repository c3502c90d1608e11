package tui

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
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
