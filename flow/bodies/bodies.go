// Package bodies reads the body of a recorded request or answer in any encoding that Kubernetes uses. It knows flows
// and codecs, but no kinds of objects.
package bodies

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"kubarium/codecs"
	"kubarium/flow"
)

// protobufStart opens every Protobuf body of Kubernetes.
var protobufStart = []byte("k8s\x00")

// IsText reports whether bytes are a text: UTF-8 without NUL.
func IsText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// JSON returns a body that holds an object or an array as JSON, decoded from YAML, Protobuf or CBOR if needed; JSON is
// returned as it is. The result is nil if the body is cut or is none of these. An object from Protobuf has its
// apiVersion and kind.
func JSON(b flow.Body) []byte {
	if b.Cut {
		return nil
	}
	text := read(b.Kept)
	if first := bytes.TrimLeft(text, " \t\r\n"); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return nil
	}
	return text
}

func read(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, protobufStart):
		return fromProtobuf(b)
	case !IsText(b):
		return fromCBOR(b)
	case json.Valid(b):
		return b
	}
	text, err := codecs.JSONFromYAML(b)
	if err != nil {
		return nil
	}
	return text
}

func fromProtobuf(b []byte) []byte {
	obj, gvk, _, err := codecs.Protobuf.Decode(b, schema.GroupVersionKind{}, nil, codecs.Ignore)
	if err != nil {
		return nil
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	var out bytes.Buffer
	if codecs.JSON.Encode(&out, obj, false) != nil {
		return nil
	}
	return bytes.TrimSpace(out.Bytes())
}

func fromCBOR(b []byte) []byte {
	var v any
	if direct.Unmarshal(b, &v) != nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}
