package golden

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/encoding/protowire"
)

// magic is the beginning of Kubernetes' envelope of a Protobuf message.
var magic = []byte("k8s\x00")

// addProtobuf describes a Protobuf body; it returns false if it is not one.
func addProtobuf(answer map[string]any, body []byte) bool {
	v, ok := protobufValue(body)
	if ok {
		answer["protobuf"] = v
	}
	return ok
}

// protobufValue shows a message, with or without the envelope.
func protobufValue(data []byte) (any, bool) {
	if inner, ok := bytes.CutPrefix(data, magic); ok {
		fields, ok := protobufFields(inner)
		return map[string]any{"k8s": fields}, ok
	}
	return protobufFields(data)
}

// protobufFields shows the fields of a message as pairs of number and value, in their order on the wire.
func protobufFields(data []byte) (any, bool) {
	fields := []any{}
	for len(data) > 0 {
		num, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, false
		}
		data = data[n:]
		var value any
		switch kind {
		case protowire.VarintType:
			var x uint64
			x, n = protowire.ConsumeVarint(data)
			value = map[string]any{"varint": strconv.FormatUint(x, 10)}
		case protowire.Fixed64Type:
			var x uint64
			x, n = protowire.ConsumeFixed64(data)
			value = map[string]any{"fixed64": strconv.FormatUint(x, 10)}
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(data)
			value = map[string]any{"fixed32": strconv.FormatUint(uint64(x), 10)}
		case protowire.BytesType:
			var x []byte
			x, n = protowire.ConsumeBytes(data)
			value = protobufBytes(x)
		default:
			return nil, false
		}
		if n < 0 {
			return nil, false
		}
		data = data[n:]
		fields = append(fields, []any{json.Number(strconv.Itoa(int(num))), value})
	}
	return fields, true
}

// protobufBytes shows a length-delimited field: as text, as a message, as text with control characters, or as bytes.
func protobufBytes(data []byte) any {
	if printable(data) {
		return string(data)
	}
	if v, ok := protobufValue(data); ok {
		return v
	}
	if utf8.Valid(data) {
		return string(data)
	}
	return map[string]any{"bytes": base64.StdEncoding.EncodeToString(data)}
}

func printable(data []byte) bool {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			return false
		}
		data = data[n:]
	}
	return true
}

// selfDescribed is the tag 55799, which marks CBOR.
var selfDescribed = []byte{0xd9, 0xd9, 0xf7}

// addCBOR describes a CBOR body as JSON; it returns false if it is not one.
func addCBOR(answer map[string]any, body []byte) bool {
	v, rest, err := cborValue(body)
	if err != nil || len(rest) > 0 {
		return false
	}
	answer["cbor"] = v
	answer["selfDescribed"] = bytes.HasPrefix(body, selfDescribed)
	return true
}

var cborMode = func() cbor.DecMode {
	m, err := cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any](),
		DefaultByteStringType: reflect.TypeFor[string](), ByteStringToString: cbor.ByteStringToStringAllowed}.DecMode()
	if err != nil {
		panic(err) // the options above are constants
	}
	return m
}()

// cborValue reads one item of a CBOR sequence as JSON and returns the rest.
func cborValue(data []byte) (v any, rest []byte, err error) {
	rest, err = cborMode.UnmarshalFirst(bytes.TrimPrefix(data, selfDescribed), &v)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(untag(v))
	if err != nil {
		return nil, nil, err
	}
	v, err = decodeJSON(text)
	return v, rest, err
}

// untag shows tagged values as objects.
func untag(v any) any {
	switch c := v.(type) {
	case map[string]any:
		for k, e := range c {
			c[k] = untag(e)
		}
	case []any:
		for i, e := range c {
			c[i] = untag(e)
		}
	case cbor.Tag:
		return map[string]any{"$tag": c.Number, "$value": untag(c.Content)}
	}
	return v
}
