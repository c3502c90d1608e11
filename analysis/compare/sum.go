package compare

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
)

// A summer makes a number of a JSON text, the same for texts in which nothing differs that counts, whatever the order
// of fields. The text is known to be JSON, so that it need not be checked; and no values are made of it, since there
// may be a hundred thousand texts.
type summer struct {
	reader
	body []byte
	at   int
}

// sum is the number of a JSON text.
func (rd reader) sum(text []byte) uint64 {
	s := summer{reader: rd, body: text}
	return s.value()
}

// space passes white space, and the colons and commas between values.
func (s *summer) space() {
	for s.at < len(s.body) {
		switch s.body[s.at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			s.at++
		default:
			return
		}
	}
}

func (s *summer) value() uint64 {
	s.space()
	switch s.body[s.at] {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		return s.string()
	}
	from := s.at // a number, true, false or null
	for s.at < len(s.body) && bytes.IndexByte([]byte(" \t\r\n,:]}"), s.body[s.at]) < 0 {
		s.at++
	}
	return mix(maphash.Bytes(seed, s.body[from:s.at]), 1)
}

// object sums its fields, so that their order does not matter. In an operation of a JSON Patch the path says whether
// the value counts.
func (s *summer) object() uint64 {
	sum, value := uint64(2), uint64(0)
	counts := true // the value of an operation
	s.at++
	for s.space(); s.body[s.at] != '}'; s.space() {
		name := s.raw()
		from := s.at
		of := s.value()
		switch {
		case changing[string(name)]:
		case string(name) == "value":
			value = mix(maphash.Bytes(seed, name), of)
		default:
			if string(name) == "path" {
				path := bytes.Trim(s.body[from:s.at], "\": ")
				counts = !changing[string(path[bytes.LastIndexByte(path, '/')+1:])]
			}
			sum += mix(s.ofText(name), of)
		}
	}
	s.at++
	if counts {
		sum += value
	}
	return mix(sum, 2)
}

func (s *summer) array() uint64 {
	sum := uint64(3)
	s.at++
	for s.space(); s.body[s.at] != ']'; s.space() {
		sum = mix(sum, s.value())
	}
	s.at++
	return sum
}

func (s *summer) string() uint64 {
	text := s.raw()
	if len(text) > 1 && text[0] == '{' && json.Valid(text) { // an annotation: kubectl's last-applied-configuration
		return mix(s.sum(text), 4)
	}
	return s.ofText(text)
}

func (s *summer) ofText(text []byte) uint64 {
	if len(text) < 5 { // as in text
		return maphash.Bytes(seed, text)
	}
	return maphash.String(seed, s.text(string(text)))
}

// raw is the string at the place, with its escapes read.
func (s *summer) raw() []byte {
	from := s.at + 1
	for s.at = from; s.body[s.at] != '"'; s.at++ {
		if s.body[s.at] == '\\' {
			return s.escaped(from)
		}
	}
	s.at++
	return s.body[from : s.at-1]
}

func (s *summer) escaped(from int) []byte {
	for s.at = from; s.body[s.at] != '"'; s.at++ {
		if s.body[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	var plain string
	if json.Unmarshal(s.body[from-1:s.at], &plain) != nil {
		return s.body[from : s.at-1]
	}
	return []byte(plain)
}
