package codecs

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// A Codec is one encoding of objects: a row of the table.
type Codec struct {
	Name      string // short, for people: "JSON"
	MediaType string // what a request's Content-Type and an answer's Accept call it

	// StreamOffer is how a watch stream of this encoding is called in Accept and in refusals; "" if it has none.
	StreamOffer string
	// StreamType is the Content-Type of such a stream.
	StreamType string

	tables bool                                         // whether Table answers come in this encoding
	parts  func(data []byte, into runtime.Object) parts // counts what a body is made of, at little cost
	plain  runtime.Serializer
	strict runtime.Serializer // like plain, and reports unknown and duplicate fields
	pretty runtime.Serializer // nil if the encoding has no other form for people
	frame  func(w io.Writer, eventType string, object []byte) error
	length int // how many bytes at the beginning of a frame hold its length; 0 if frames end by themselves
	// fromJSON rewrites compact JSON; nil for an encoding that is made of Go objects alone.
	fromJSON func(text []byte, pretty bool) ([]byte, error)
}

// JSON, YAML, Protobuf and CBOR are the encodings spoken now.
var (
	JSON     = newJSON()
	YAML     = newYAML()
	Protobuf = newProtobuf()
	CBOR     = newCBOR()
)

// All is the table of encodings, in the order in which they are offered; the first is the default.
var All = []*Codec{JSON, YAML, Protobuf, CBOR}

// Generic are those that write objects of any kind: all but Protobuf, which needs a message for each.
var Generic = []*Codec{JSON, YAML, CBOR}

// Documents are the encodings in which kube-apiserver has the plain list of groups and that of the custom resources in
// a version of a group: without CBOR.
var Documents = []*Codec{JSON, YAML, Protobuf}

// MaxBody is the most bytes that a request's body may have, kube-apiserver's default.
const MaxBody = 3 << 20

// Read reads a request's body to its end. A body of more than MaxBody bytes is a Status error 413; an error of r itself
// is returned as it is. promised is the length that the client has announced, and bounds the room that is made in
// advance; 0 or less if it is unknown.
func Read(r io.Reader, promised int64) ([]byte, error) {
	var b bytes.Buffer
	if 0 < promised && promised <= MaxBody {
		b.Grow(int(promised) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(r, MaxBody+1)); err != nil {
		return nil, err
	}
	if b.Len() > MaxBody {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", MaxBody))
	}
	return b.Bytes(), nil
}

// Encode writes obj as it is: its kind and apiVersion are the caller's to set. JSON is compact and ends with a newline;
// pretty JSON is indented and does not. YAML has one form.
func (c *Codec) Encode(w io.Writer, obj runtime.Object, pretty bool) error {
	if pretty && c.pretty != nil {
		return c.pretty.Encode(obj, w)
	}
	return c.plain.Encode(obj, w)
}

// IsText says that this encoding is made of JSON text by FromJSON. Any other is made of typed objects by Encode.
func (c *Codec) IsText() bool { return c.fromJSON != nil }

// FromJSON rewrites the compact JSON of an answer in this encoding, in the form that Encode gives it; it may take text
// over. It must only be called on a Codec that IsText.
func (c *Codec) FromJSON(text []byte, pretty bool) ([]byte, error) {
	return c.fromJSON(text, pretty)
}

// Frame writes one event of a watch stream around an object that has been encoded, text as compact JSON, in one Write. It must only be called
// on a Codec that has a StreamOffer, which Negotiate sees to for an Offer with Watch.
func (c *Codec) Frame(w io.Writer, eventType string, object []byte) error {
	return c.frame(w, eventType, object)
}

// Message is a frame of a watch stream as the message of a connection that keeps messages apart, a WebSocket: without
// its length. It shares the frame's bytes.
func (c *Codec) Message(frame []byte) []byte { return frame[c.length:] }

// mediaTypes lists what codecs are called, for refusals.
func mediaTypes(codecs []*Codec) []string {
	names := make([]string, len(codecs))
	for i, c := range codecs {
		names[i] = c.MediaType
	}
	return names
}

// streamTypes lists what the streams of codecs are called, for refusals.
func streamTypes(codecs []*Codec) []string {
	var names []string
	for _, c := range codecs {
		if c.StreamOffer != "" {
			names = append(names, c.StreamOffer)
		}
	}
	return names
}

// subtype is the part of a media type after the slash.
func subtype(mediaType string) string {
	_, sub, _ := strings.Cut(mediaType, "/")
	return sub
}
