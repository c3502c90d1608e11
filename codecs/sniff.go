package codecs

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// sniffer reads kind and apiVersion of a JSON object by skipping over everything else, where the default factory parses
// the whole body twice before it is decoded. Of valid JSON it says what the default factory does; of anything else that
// it takes for an object it says something, and the decoding fails: DecodeCoerced then asks the default factory why.
type sniffer struct{}

var _ json.MetaFactory = sniffer{}

// Interpret fulfils json.MetaFactory.
func (sniffer) Interpret(data []byte) (*schema.GroupVersionKind, error) {
	kind, apiVersion, ok := sniff(data)
	if !ok {
		return json.DefaultMetaFactory.Interpret(data)
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil, err
	}
	return &schema.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: kind}, nil
}

// sniff finds the two members at the top of an object. It is not ok with names and values that a parser must look at
// closely: other than plain ASCII, or such as "Kind", which encoding/json takes for kind.
func sniff(data []byte) (kind, apiVersion string, ok bool) {
	at := skipSpace(data, 0)
	if !has(data, at, '{') {
		return "", "", false
	}
	for at = skipSpace(data, at+1); has(data, at, '"'); at = skipSpace(data, at+1) {
		name, next, plain := plainString(data, at)
		next = skipSpace(data, next)
		if !plain || !has(data, next, ':') {
			return "", "", false
		}
		next = skipSpace(data, next+1)
		var member *string
		switch {
		case string(name) == "kind":
			member = &kind
		case string(name) == "apiVersion":
			member = &apiVersion
		case bytes.EqualFold(name, []byte("kind")), bytes.EqualFold(name, []byte("apiVersion")):
			return "", "", false
		}
		if member != nil {
			text, _, plain := plainString(data, next)
			if !plain {
				return "", "", false
			}
			*member = string(text)
		}
		if at = skipValue(data, next); at < 0 {
			return "", "", false
		}
		if data[at] == '}' {
			return kind, apiVersion, true
		}
	}
	return kind, apiVersion, has(data, at, '}')
}

func has(data []byte, at int, c byte) bool { return at >= 0 && at < len(data) && data[at] == c }

// skipSpace returns the place of the first byte from data[at] on that is not white space.
func skipSpace(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// plainString returns the text of the string that opens at data[at] and the place after it; false unless it is a string
// of printable ASCII without escapes.
func plainString(data []byte, at int) (text []byte, next int, ok bool) {
	if !has(data, at, '"') {
		return nil, at, false
	}
	for i := at + 1; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return data[at+1 : i], i + 1, true
		case c < ' ' || c > '~' || c == '\\':
			return nil, at, false
		}
	}
	return nil, at, false
}
