package codecs

import (
	"encoding/binary"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// newProtobuf makes the row of Kubernetes Protobuf: objects in the envelope that begins with "k8s\x00" (API Concepts,
// "Kubernetes Protobuf encoding"). It has no strict form: unknown fields can not be told apart from newer ones.
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
	}
}

// protobufFrame writes an event behind its length: four bytes, big endian, then a WatchEvent without envelope around an
// object in its envelope.
func protobufFrame(w io.Writer, eventType string, object []byte) error {
	event := metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: object}}
	frame := make([]byte, 4+event.Size())
	if _, err := event.MarshalTo(frame[4:]); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	_, err := w.Write(frame)
	return err
}
