package openapi

import (
	"crypto/sha512"
	"fmt"
	"sync"
	"time"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
)

// A Document is one published text. The results of its methods must not be changed. It is safe for concurrent use.
type Document struct {
	hash  func() string
	json  func() []byte
	proto func() []byte
	asked func() time.Time
}

// newDocument hashes the source that a document is made of rather than its text, so that the index makes none.
func newDocument(source, text func() []byte, toProto func([]byte) []byte) *Document {
	return &Document{
		hash:  sync.OnceValue(func() string { return fmt.Sprintf("%X", sha512.Sum512(source())) }),
		json:  text,
		proto: sync.OnceValue(func() []byte { return toProto(text()) }),
		asked: sync.OnceValue(time.Now),
	}
}

// Hash is what ?hash= and, in double quotes, the ETag say. It is known before the text is made.
func (d *Document) Hash() string { return d.hash() }

// Modified is when the document was first asked for: kube-apiserver makes it then.
func (d *Document) Modified() time.Time { return d.asked() }

// JSON returns the text, made if it has not been.
func (d *Document) JSON() []byte { return d.json() }

// Proto returns the document in the media type V2ProtoType or V3ProtoType.
func (d *Document) Proto() []byte { return d.proto() }

func protoV2(text []byte) []byte {
	return must(proto.MarshalOptions{Deterministic: true}.Marshal(must(openapi_v2.ParseDocument(text))))
}

func protoV3(text []byte) []byte {
	return must(proto.MarshalOptions{Deterministic: true}.Marshal(must(openapi_v3.ParseDocument(text))))
}
