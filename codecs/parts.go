package codecs

import (
	"bytes"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// A body of MaxBody bytes can hold a million empty objects, and each becomes a Go value of a hundred bytes to half a
// kilobyte: two gigabytes of memory for one request. So a body is bounded by its parts too, before it is decoded. What a
// store takes (1.5 MiB) reaches none of these bounds unless it is made of next to nothing but brackets and commas.
const (
	// MaxContainers is the most objects and lists in a body.
	MaxContainers = 1 << 16
	// MaxValues is the most values in a body: members of objects and items of lists, whatever they are.
	MaxValues = 1 << 18
	// MaxMembers is the most members of one object in a body. Each of a ConfigMap's becomes a field of its own in
	// managedFields, and sets of fields are kept in order by insertion.
	MaxMembers = 1 << 15
	// MaxDepth is how deep a body may nest. JSON and YAML parsers have this bound themselves, and CBOR's a lower one.
	MaxDepth = 10_000
)

// harmless is up to how many bytes no body can have too many parts: the smallest part of one takes a byte.
const harmless = MaxMembers

// parts is what a body is made of.
type parts struct {
	containers int // objects and lists
	values     int // members of objects and items of lists
	members    int // of the object that has the most
	depth      int // of the deepest value; 1 is the top
}

// Bound refuses, with a Status 413, a body that has too many parts to be decoded. into is what it will be decoded into,
// which Protobuf alone asks for; it may be nil. Malformed bodies are not refused: the decoder says what is wrong with them.
func (c *Codec) Bound(data []byte, into runtime.Object) error {
	if len(data) <= harmless {
		return nil
	}
	p := c.parts(data, into)
	switch {
	case p.depth > MaxDepth && c != Protobuf:
		return nil // the decoder refuses it at that depth, in its own words
	case p.containers > MaxContainers:
		return tooMany("objects and lists in a body", MaxContainers)
	case p.values > MaxValues:
		return tooMany("values in a body", MaxValues)
	case p.members > MaxMembers:
		return tooMany("members of one object", MaxMembers)
	case p.depth > MaxDepth:
		return tooMany("levels of nesting", MaxDepth)
	}
	return nil
}

func tooMany(what string, most int) error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d %s", most, what))
}

// jsonParts counts the parts of a JSON text in one pass. It does not check the text.
func jsonParts(data []byte, _ runtime.Object) (p parts) {
	var open []int // of each container around: how many parts it has so far, negative for a list
	for i := 0; i < len(data) && p.containers <= MaxContainers && p.values <= MaxValues; i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '{', '[':
			p.containers++
			p.values++
			open = append(open, 0)
			p.depth = max(p.depth, len(open))
		case ',':
			p.values++
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if len(open) > 0 {
				p.members = max(p.members, open[len(open)-1]+1)
			}
			fallthrough
		case ']':
			open = open[:max(len(open)-1, 0)]
		}
	}
	return p
}

// stringEnd returns where the string that opens at data[at] ends: the place of its closing quote, or the end of data.
func stringEnd(data []byte, at int) int {
	for i := at + 1; i < len(data); i++ {
		n := bytes.IndexAny(data[i:], `"\`)
		if n < 0 {
			break
		}
		if i += n; data[i] == '"' {
			return i
		}
		i++ // what the backslash escapes
	}
	return len(data)
}

// yamlParts is an upper bound of the parts of a YAML text: whatever may end one value and begin another is counted, in
// text blocks too. JSON sent as YAML, as kubectl does for Server-Side Apply, is counted as JSON.
func yamlParts(data []byte, _ runtime.Object) (p parts) {
	if at := skipSpace(data, 0); has(data, at, '{') {
		return jsonParts(data, nil)
	}
	flow, block := 0, 0 // how deep: in brackets, and in lists that begin on one line
	for i, c := range data {
		switch c {
		case ',', ':':
			p.values++
		case '\n':
			p.values++
			block = 0
		case '[', '{':
			p.containers++
			p.values++
			flow++
		case ']', '}':
			flow--
		case '-', '?':
			if i+1 < len(data) && (data[i+1] == ' ' || data[i+1] == '\t') {
				p.values++
				block++
			}
		}
		p.depth = max(p.depth, flow, block)
	}
	return p
}
