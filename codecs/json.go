package codecs

import (
	"bytes"
	encodingjson "encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

func newJSON() *Codec {
	return &Codec{
		Name:        "JSON",
		MediaType:   runtime.ContentTypeJSON,
		StreamOffer: "application/json;stream=watch",
		StreamType:  runtime.ContentTypeJSON,
		tables:      true,
		parts:       jsonParts,
		plain:       serializer(json.SerializerOptions{}),
		strict:      serializer(json.SerializerOptions{Strict: true}),
		pretty:      serializer(json.SerializerOptions{Pretty: true}),
		frame:       jsonFrame,
		fromJSON:    lineOrPretty,
	}
}

// lineOrPretty ends compact JSON with a newline, or indents it for people.
func lineOrPretty(text []byte, pretty bool) ([]byte, error) {
	if !pretty {
		return append(text, '\n'), nil
	}
	var b bytes.Buffer
	err := encodingjson.Indent(&b, text, "", "  ")
	return b.Bytes(), err
}

// serializer makes one of apimachinery's serializers over the scheme. It reads kind and apiVersion first, so that an
// error can name them.
func serializer(o json.SerializerOptions) runtime.Serializer {
	return json.NewSerializerWithOptions(sniffer{}, Scheme(), Scheme(), o)
}
