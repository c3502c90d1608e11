package codecs

import (
	"bytes"
	"cmp"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// A body of MaxBody bytes can hold a million empty objects, and each becomes a Go value of a hundred bytes to half a
// kilobyte: two gigabytes of memory for one request. So a body is bounded by its parts too, before it is decoded. An
// object that a store takes (1.5 MiB) reaches none of these bounds unless it is little more than brackets and commas.
const (
	// MaxContainers is the most objects and lists in a body.
	MaxContainers = 1 << 15
	// MaxValues is the most values in a body: members of objects and items of lists, whatever they are.
	MaxValues = 1 << 18
	// MaxMembers is the most members of one object in a body. Each of a ConfigMap's becomes a field of its own in
	// managedFields, and sets of fields are kept in order by insertion.
	MaxMembers = 1 << 15
	// MaxItems is the most objects in one list of a body. Where lists are merged by key, each has a path of its own in
	// managedFields, and these are kept in order by insertion, too. (Numbers and texts are bounded as values.)
	MaxItems = 10_000
	// MaxYAML is the most bytes of a body in YAML, and maxYAMLValues the most values in it: its parser takes ten times as long
	// as that of JSON, and cannot be stopped. JSON sent as YAML may have MaxValues.
	MaxYAML       = 2 << 20
	maxYAMLValues = 1 << 17
	// MaxDepth is how deep a body may nest: a path of fields is as long as it is deep, and each level's path is kept.
	MaxDepth = 1000
	// parserDepth is the depth at which the parsers of JSON and YAML refuse a text, in words that clients know. CBOR's has a
	// lower one.
	parserDepth = 10_000
)

// harmless is up to how many bytes no body can have too many parts: the smallest part of one takes a byte.
const harmless = MaxDepth

// parts is what a body is made of.
type parts struct {
	containers int // objects and lists
	values     int // members of objects and items of lists
	most       int // of values that this form may have; 0 means MaxValues
	members    int // of the object that has the most
	items      int // objects in the list that has the most; as far as the encoding shows
	depth      int // of the deepest value; 1 is the top
}

// Bound refuses, with a Status 413, a body that has too many parts to be decoded. into is what it will be decoded into,
// which Protobuf alone asks for; it may be nil. Malformed bodies are not refused: the decoder says what is wrong with them.
func (c *Codec) Bound(data []byte, into runtime.Object) error {
	if limit := c.exceeded(data, into); limit != "" {
		return apierrors.NewRequestEntityTooLargeError("limit is " + limit)
	}
	return nil
}

// exceeded names the limit that a body is above, such as "1000 levels of nesting"; "" for none.
func (c *Codec) exceeded(data []byte, into runtime.Object) string {
	if len(data) <= harmless {
		return ""
	}
	if c == YAML && len(data) > MaxYAML {
		return fmt.Sprintf("%d bytes of YAML", MaxYAML)
	}
	p := c.parts(data, into)
	switch {
	case p.depth > parserDepth && c != Protobuf:
		return "" // the decoder refuses it at that depth, in its own words
	case p.containers > MaxContainers:
		return fmt.Sprintf("%d objects and lists in a body", MaxContainers)
	case p.values > cmp.Or(p.most, MaxValues):
		return fmt.Sprintf("%d values in a body", cmp.Or(p.most, MaxValues))
	case p.members > MaxMembers:
		return fmt.Sprintf("%d members of one object", MaxMembers)
	case p.items > MaxItems:
		return fmt.Sprintf("%d objects in one list", MaxItems)
	case p.depth > MaxDepth:
		return fmt.Sprintf("%d levels of nesting", MaxDepth)
	}
	return ""
}

// jsonParts counts the parts of a JSON text in one pass. It does not check the text.
func jsonParts(data []byte, _ runtime.Object) (p parts) {
	var open []int  // of each container around: how many commas it has so far
	var items []int // and how many objects
	for i := 0; i < len(data) && p.containers <= MaxContainers && p.values <= MaxValues; i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '{', '[':
			p.containers++
			p.values++
			if n := len(items); n > 0 && data[i] == '{' {
				items[n-1]++
			}
			open, items = append(open, 0), append(items, 0)
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
			if n := len(items); n > 0 {
				if data[i] == ']' && n > 1 { // the outermost list is that of a JSON Patch, whose operations have a bound of their own
					p.items = max(p.items, items[n-1])
				}
				open, items = open[:n-1], items[:n-1]
			}
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
	p.most = maxYAMLValues
	var flow []int // of each bracket around: how many commas it has so far
	var block blockCount
	for i, c := range data {
		switch c {
		case ',':
			p.values++
			if n := len(flow); n > 0 {
				flow[n-1]++
				p.members = max(p.members, flow[n-1]+1)
			}
		case ':':
			p.values++
			block.member(&p)
		case '\n':
			p.values++
			block = blockCount{members: block.members}
		case '[', '{':
			p.containers++
			p.values++
			flow = append(flow, 0)
		case ']', '}':
			flow = flow[:max(len(flow)-1, 0)]
		case ' ':
			block.space()
			continue
		case '-', '?':
			if i+1 < len(data) && (data[i+1] == ' ' || data[i+1] == '\t') {
				p.values++
				block.lists++
				p.depth = max(p.depth, block.lists)
				continue
			}
		}
		block.begun = true
		p.depth = max(p.depth, len(flow))
	}
	return p
}

// A blockCount counts the parts of a YAML text line by line.
type blockCount struct {
	indent  int   // of this line
	begun   bool  // whether the indent is over
	named   bool  // whether the line has a member already
	lists   int   // that begin on this line
	members []int // by indent, of the object that is open there
}

func (b *blockCount) space() {
	if !b.begun {
		b.indent++
	}
}

// member counts a line as a member of the object of its indent, and closes what is further in.
func (b *blockCount) member(p *parts) {
	if b.named || b.indent > MaxDepth {
		return
	}
	b.named = true
	for len(b.members) <= b.indent {
		b.members = append(b.members, 0)
	}
	b.members = b.members[:b.indent+1]
	b.members[b.indent]++
	p.members = max(p.members, b.members[b.indent])
}
