package codecs

import (
	"bytes"
	"encoding/binary"
	"io"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// jsonFrame writes an event as one line.
func jsonFrame(w io.Writer, eventType string, object []byte) error {
	line := make([]byte, 0, len(object)+len(eventType)+32)
	line, _ = AppendJSONFrame(line, eventType, func(dst []byte) ([]byte, error) { return append(dst, object...), nil })
	_, err := w.Write(line)
	return err
}

// AppendJSONFrame appends an event as one line, with the object that object appends.
func AppendJSONFrame(dst []byte, eventType string, object func(dst []byte) ([]byte, error)) ([]byte, error) {
	dst = strconv.AppendQuote(append(dst, `{"type":`...), eventType)
	dst, err := object(append(dst, `,"object":`...))
	return append(bytes.TrimRight(dst, "\n"), "}\n"...), err
}

// frameLength is how many bytes the length of a Protobuf frame takes.
const frameLength = 4

// protobufFrame writes the length of an event, big endian, and then a WatchEvent without envelope around an object in
// its envelope.
func protobufFrame(w io.Writer, eventType string, object []byte) error {
	event := metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: object}}
	frame := make([]byte, frameLength+event.Size())
	if _, err := event.MarshalTo(frame[frameLength:]); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-frameLength))
	_, err := w.Write(frame)
	return err
}

// cborFrame makes the writer of an event as one item of a CBOR sequence. Items end by themselves, so nothing is
// between two; event and object both carry the tag of CBOR.
func cborFrame(s runtime.Encoder) func(w io.Writer, eventType string, object []byte) error {
	return func(w io.Writer, eventType string, object []byte) error {
		var b bytes.Buffer
		event := &metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: object}}
		if err := s.Encode(event, &b); err != nil {
			return err
		}
		_, err := w.Write(b.Bytes())
		return err
	}
}
