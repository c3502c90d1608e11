package object

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"kubarium/codecs"
)

// ProtobufStart opens every Protobuf body of Kubernetes.
var ProtobufStart = []byte("k8s\x00")

// Readable is the JSON of what a body in Protobuf or CBOR says; nil if it is neither, or not whole.
func Readable(b []byte) []byte {
	if bytes.HasPrefix(b, ProtobufStart) {
		obj, _, _, err := codecs.Protobuf.Decode(b, schema.GroupVersionKind{}, nil, codecs.Ignore)
		if err != nil {
			return nil
		}
		var out bytes.Buffer
		if codecs.JSON.Encode(&out, obj, false) != nil {
			return nil
		}
		return out.Bytes()
	}
	var v any
	if IsText(b) || direct.Unmarshal(b, &v) != nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}
