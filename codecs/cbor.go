package codecs

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
)

// newCBOR makes the row of CBOR (RFC 8949): objects with the tag 55799 before them, map keys in one fixed order. A map
// with a key that occurs twice is not CBOR and is always refused; of unknown fields only the first is reported. Streams
// are CBOR sequences (RFC 8742), also for a client that asked for plain CBOR, as RFC 9110 (section 12.1) allows.
func newCBOR() *Codec {
	s := cbor.NewSerializer(Scheme(), Scheme())
	return &Codec{
		Name:        "CBOR",
		MediaType:   runtime.ContentTypeCBOR,
		StreamOffer: runtime.ContentTypeCBORSequence,
		StreamType:  runtime.ContentTypeCBORSequence,
		parts:       cborParts,
		plain:       s,
		strict:      cbor.NewSerializer(Scheme(), Scheme(), cbor.Strict(true)),
		frame:       cborFrame(s),
	}
}
