package body

import (
	"bytes"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/term"
)

// wireLines shows a binary body next to its bytes; nil if it cannot be decoded.
func wireLines(b []byte, w int) []term.Line {
	if bodies.LooksText(b) {
		return nil
	}
	b = b[:min(len(b), MostShown)]
	if ls := protobufLines(b, w); ls != nil {
		return ls
	}
	return cborLines(b, w)
}

// HasFields reports whether wireLines may show a body.
func HasFields(b flow.Body) bool {
	plain, _ := bodies.Unpacked(b.Kept)
	return len(plain) > 0 && !bodies.LooksText(plain)
}

// A reencoding is another encoding of a body, with its size in bytes.
type reencoding struct {
	name string
	size int
}

// mostReencoded is the size up to which a body's other encodings are computed.
const mostReencoded = 64 << 10

// Reencodings returns the encodings in which a body was not sent, with their sizes; nil for a body that is not an
// object.
func Reencodings(b []byte, wire string) []reencoding {
	if len(b) == 0 || len(b) > mostReencoded {
		return nil
	}
	from := map[string]*codecs.Codec{"json": codecs.JSON, "yaml": codecs.YAML, "protobuf": codecs.Protobuf,
		"cbor": codecs.CBOR}[wire]
	if from == nil {
		return nil
	}
	obj, gvk, _, err := from.Decode(b, schema.GroupVersionKind{}, nil, codecs.Ignore)
	if err != nil || obj == nil {
		return nil
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	var out []reencoding
	for _, c := range codecs.All {
		name := strings.ToLower(c.Name)
		var written bytes.Buffer
		if name != wire && encodes(c, obj) && c.Encode(&written, obj, false) == nil {
			out = append(out, reencoding{name, written.Len()})
		}
	}
	return out
}

// encodes reports whether an encoding can hold this object: Protobuf needs a Go type.
func encodes(c *codecs.Codec, obj runtime.Object) bool {
	_, generic := obj.(runtime.Unstructured)
	return c != codecs.Protobuf || !generic
}

// WireLine names the encoding of a body with ●, and its size in the others with ○.
func WireLine(b flow.Body, plain []byte, packed bool, wire string, w int) []term.Line {
	l := term.Line{term.Bold.Of("Body "), term.Open.Of(" ● " + wire)}
	if packed {
		l = append(l, term.Open.Of(" gzip"), term.Plain.Of(" "+term.BytesText(b.Total)),
			term.Dim.Of(" of "+term.BytesText(int64(len(plain)))))
	} else {
		l = append(l, term.Plain.Of(" "+term.BytesText(b.Total)))
	}
	out := []term.Line{}
	if b.Cut {
		return []term.Line{l}
	}
	for _, r := range Reencodings(plain, wire) {
		more := term.Line{term.Dim.Of("  ○ " + r.name), term.Plain.Of(" " + term.BytesText(int64(r.size)))}
		if l.Width()+more.Width() > w {
			out, l = append(out, l), term.Line{term.Plain.Of("     ")}
		}
		l = append(l, more...)
	}
	return append(out, l)
}
