package patch

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
)

// A node is a value of a JSON text, read in one pass: the libraries that read a text level by level read a deep one as
// often as it has levels.
type node struct {
	text    []byte           // a part of the text that it was read from
	members map[string]*node // of an object, else nil
	items   []*node          // of a list
	list    bool
	// own says that members or items have changed or were looked at, so that text is no longer how it is written.
	own bool
}

func (n *node) null() bool { return string(n.text) == "null" }

// readTree reads a valid JSON text. It goes on until ctx ends.
func readTree(ctx context.Context, text []byte) (*node, error) {
	r := &treeReader{ctx: ctx, text: text}
	n, err := r.value()
	return n, err
}

// A treeReader reads a text that is known to be valid JSON.
type treeReader struct {
	ctx  context.Context
	text []byte
	at   int
	read int // values
}

// lookUp is how many values are read between two looks at the context.
const lookUp = 1 << 12

func (r *treeReader) value() (n *node, err error) {
	if r.read++; r.read%lookUp == 0 && r.ctx.Err() != nil {
		return nil, r.ctx.Err()
	}
	r.space()
	start := r.at
	n = &node{}
	switch r.text[r.at] {
	case '{':
		err = r.object(n)
	case '[':
		err = r.array(n)
	case '"':
		r.string()
	default:
		for r.at < len(r.text) && bytes.IndexByte([]byte(",]} \n\t\r"), r.text[r.at]) < 0 {
			r.at++
		}
	}
	n.text = r.text[start:r.at]
	return n, err
}

func (r *treeReader) space() {
	for r.at < len(r.text) && bytes.IndexByte([]byte(" \n\t\r"), r.text[r.at]) >= 0 {
		r.at++
	}
}

// next skips white space and one byte, which it returns.
func (r *treeReader) next() byte {
	r.space()
	r.at++
	return r.text[r.at-1]
}

// string skips a string and returns it with its quotes.
func (r *treeReader) string() []byte {
	start := r.at
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	return r.text[start:r.at]
}

// object reads the members of an object; of two with one name the last counts.
func (r *treeReader) object(n *node) error {
	n.members = map[string]*node{}
	r.at++
	if r.space(); r.text[r.at] == '}' {
		r.at++
		return nil
	}
	for {
		r.space()
		var name string
		if err := json.Unmarshal(r.string(), &name); err != nil {
			return err
		}
		r.next() // the colon
		value, err := r.value()
		if err != nil {
			return err
		}
		n.members[name] = value
		if r.next() == '}' {
			return nil
		}
	}
}

func (r *treeReader) array(n *node) error {
	n.list = true
	r.at++
	if r.space(); r.text[r.at] == ']' {
		r.at++
		return nil
	}
	for {
		value, err := r.value()
		if err != nil {
			return err
		}
		n.items = append(n.items, value)
		if r.next() == ']' {
			return nil
		}
	}
}

// write writes a value as encoding/json writes maps: compact, with members in the order of their names.
func (n *node) write(b *bytes.Buffer) error {
	switch {
	case !n.own:
		b.Write(n.text)
	case n.list:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.write(b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		return n.writeMembers(b)
	}
	return nil
}

func (n *node) writeMembers(b *bytes.Buffer) error {
	names := make([]string, 0, len(n.members))
	for name := range n.members {
		names = append(names, name)
	}
	slices.Sort(names)
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(name)
		if err != nil {
			return err
		}
		b.Write(text)
		b.WriteByte(':')
		if err := n.members[name].write(b); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// marshal is the JSON of a tree: compact, and escaped for HTML as encoding/json does it.
func (n *node) marshal() ([]byte, error) {
	var written, compact, escaped bytes.Buffer
	if err := n.write(&written); err != nil {
		return nil, err
	}
	if err := json.Compact(&compact, written.Bytes()); err != nil {
		return nil, err
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	return escaped.Bytes(), nil
}
