package codecs

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// newProtobuf makes the row of Kubernetes Protobuf: objects in the envelope that begins with "k8s\x00" (API Concepts,
// "Kubernetes Protobuf encoding"). It has no strict form: unknown fields cannot be distinguished from newer ones.
func newProtobuf() *Codec {
	s := protobuf.NewSerializer(Scheme(), Scheme())
	return &Codec{
		Name:        "Protobuf",
		MediaType:   runtime.ContentTypeProtobuf,
		StreamOffer: "application/vnd.kubernetes.protobuf;stream=watch",
		StreamType:  "application/vnd.kubernetes.protobuf;stream=watch",
		plain:       s,
		strict:      s,
		frame:       protobufFrame,
		length:      frameLength,
		parts:       protobufParts,
	}
}
