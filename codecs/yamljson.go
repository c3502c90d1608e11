package codecs

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v2"
)

// A plainReader reads compact JSON for YAML to be made of it: what YAML's own parser would find there, in a small part of
// the time and of the memory. It reads what encoders write. Of all else it says so, and YAML's parser has to do it: control
// and other odd characters, numbers that are not small and whole, spaces between members.
type plainReader struct {
	text []byte
	at   int
	keys []yaml.MapItem // of the objects that are being read, the innermost last
}

const (
	// deepest is how deep a plainReader goes.
	deepest = 500
	// longestKey is the most bytes that the name of a member has there. YAML knows no names of 1,024 characters.
	longestKey = 1000
	// mostDigits is how many digits a number has at most there: whatever they are, it is an int64.
	mostDigits = 18
)

// readPlain reads a text to its end; false means that it is not plain.
func readPlain(text []byte) (any, bool) {
	r := &plainReader{text: text}
	v, ok := r.value(0)
	return v, ok && r.at == len(text)
}

func (r *plainReader) value(depth int) (any, bool) {
	if r.at == len(r.text) || depth > deepest {
		return nil, false
	}
	switch c := r.text[r.at]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		return r.string()
	case c == 't':
		return true, r.take("true")
	case c == 'f':
		return false, r.take("false")
	case c == 'n':
		return nil, r.take("null")
	}
	return r.number()
}

// take skips a word if it comes next.
func (r *plainReader) take(word string) bool {
	if !bytes.HasPrefix(r.text[r.at:], []byte(word)) {
		return false
	}
	r.at += len(word)
	return true
}

// number reads a number that is whole and small.
func (r *plainReader) number() (any, bool) {
	start := r.at
	r.take("-")
	first := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	digits := r.at - first
	if digits == 0 || digits > mostDigits || digits > 1 && r.text[first] == '0' {
		return nil, false
	}
	if r.at < len(r.text) && bytes.IndexByte([]byte(",]}"), r.text[r.at]) < 0 {
		return nil, false
	}
	n, err := strconv.Atoi(string(r.text[start:r.at]))
	return n, err == nil
}

func (r *plainReader) array(depth int) (any, bool) {
	items := []any{}
	if r.at++; r.take("]") {
		return items, true
	}
	for {
		v, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		items = append(items, v)
		if r.take("]") {
			return items, true
		}
		if !r.take(",") {
			return nil, false
		}
	}
}

// object reads an object with its members in the order in which YAML writes them; of two with one name the last counts.
func (r *plainReader) object(depth int) (any, bool) {
	if r.at++; r.take("}") {
		return yaml.MapSlice{}, true
	}
	from := len(r.keys)
	for {
		item, ok := r.member(depth)
		if !ok {
			return nil, false
		}
		r.keys = append(r.keys, item)
		if r.take("}") {
			break
		}
		if !r.take(",") {
			return nil, false
		}
	}
	members := slices.Clone(r.keys[from:])
	r.keys = r.keys[:from]
	return inOrder(members), true
}

func (r *plainReader) member(depth int) (item yaml.MapItem, ok bool) {
	if r.at == len(r.text) || r.text[r.at] != '"' {
		return item, false
	}
	start := r.at
	name, ok := r.string()
	if !ok || r.at-start > longestKey || !r.take(":") {
		return item, false
	}
	item.Key = name
	item.Value, ok = r.value(depth + 1)
	return item, ok
}

// inOrder sorts members by their names.
func inOrder(members yaml.MapSlice) yaml.MapSlice {
	compare := func(a, b yaml.MapItem) int { return compareNames(a.Key.(string), b.Key.(string)) }
	if !slices.IsSortedFunc(members, compare) {
		slices.SortStableFunc(members, compare)
	}
	kept := members[:0]
	for i, m := range members {
		if i+1 < len(members) && members[i+1].Key == m.Key {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// string reads a string in quotes.
func (r *plainReader) string() (string, bool) {
	start := r.at + 1
	for i := start; i < len(r.text); {
		switch c := r.text[i]; {
		case c == '"':
			r.at = i + 1
			return string(r.text[start:i]), true
		case c == '\\':
			return r.escaped(start, i)
		default:
			n := plainRune(r.text[i:])
			if n == 0 {
				return "", false
			}
			i += n
		}
	}
	return "", false
}

// escaped reads on from the first backslash of a string that begins at start.
func (r *plainReader) escaped(start, at int) (string, bool) {
	s := append(make([]byte, 0, at-start+32), r.text[start:at]...)
	for i := at; i < len(r.text); {
		switch c := r.text[i]; {
		case c == '"':
			r.at = i + 1
			return string(s), true
		case c == '\\':
			char, n := unescape(r.text[i:])
			if n == 0 {
				return "", false
			}
			s, i = utf8.AppendRune(s, char), i+n
		default:
			n := plainRune(r.text[i:])
			if n == 0 {
				return "", false
			}
			s, i = append(s, r.text[i:i+n]...), i+n
		}
	}
	return "", false
}

// unescape reads what a backslash begins: the character, and how many bytes it took; 0 for what is not plain.
func unescape(text []byte) (char rune, n int) {
	const shortEscapes, meant = `"\bfnrt`, "\"\\\b\f\n\r\t"
	if len(text) < 2 {
		return 0, 0
	}
	if i := bytes.IndexByte([]byte(shortEscapes), text[1]); i >= 0 {
		return rune(meant[i]), 2
	}
	const long = len(`\u0000`)
	if text[1] != 'u' || len(text) < long {
		return 0, 0
	}
	code, err := strconv.ParseUint(string(text[2:long]), 16, 32)
	if err != nil || 0xd800 <= code && code < 0xe000 { // half of a character
		return 0, 0
	}
	return rune(code), long
}

// plainRune is how many bytes the character has that a text begins with; 0 for one that YAML does not take as it is.
func plainRune(text []byte) int {
	if c := text[0]; c < utf8.RuneSelf {
		if c < ' ' || c == 0x7f {
			return 0
		}
		return 1
	}
	const nextLine, noBreakSpace, lineSeparator, paragraphSeparator, byteOrderMark = 0x85, 0xa0, 0x2028, 0x2029, 0xfeff
	char, n := utf8.DecodeRune(text)
	switch {
	case char == utf8.RuneError, char < noBreakSpace, char == lineSeparator, char == paragraphSeparator, char == byteOrderMark, char&0xfffe == 0xfffe:
		return 0
	}
	return n
}
