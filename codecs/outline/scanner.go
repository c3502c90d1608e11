package outline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// A scanner goes through a JSON text without control characters. Once it is bad, whatever it returns means nothing.
type scanner struct {
	text    []byte
	at      int
	bad     bool
	escapes int // how many strings had any

	version   int // length of the object's resourceVersion
	versioned bool
	metadata  int
	labels    [2]int32
}

// control reports whether a text has a character below the space. JSON has them between its parts alone, where an
// encoder puts none.
func control(text []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(text) >= 8; text = text[8:] {
		word := binary.LittleEndian.Uint64(text)
		if (word-0x20*ones)&^word&highs != 0 {
			return true
		}
	}
	for _, c := range text {
		if c < ' ' {
			return true
		}
	}
	return false
}

// fail marks the text as one that is for others.
func (s *scanner) fail() int {
	s.bad, s.at = true, len(s.text)
	return 0
}

// peek is the next character, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// take goes past a character if it is the next one.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// word goes past a text if it is next.
func (s *scanner) word(w string) bool {
	if s.at+len(w) > len(s.text) || string(s.text[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

// quoted reads a string and returns it with its quotes.
func (s *scanner) quoted() (token []byte, escaped bool) {
	if !s.take('"') {
		s.fail()
		return nil, false
	}
	from := s.at - 1
	for {
		n := bytes.IndexByte(s.text[s.at:], '"')
		if n < 0 {
			s.fail()
			return nil, false
		}
		slash := bytes.IndexByte(s.text[s.at:s.at+n], '\\')
		if slash < 0 {
			s.at += n + 1
			break
		}
		escaped = true
		s.at += slash + 2 // which may be after the quote
		if s.at > len(s.text) {
			s.fail()
			return nil, false
		}
	}
	if escaped {
		s.escapes++
	}
	return s.text[from:s.at], escaped
}

// length reads a string and returns how many bytes it has.
func (s *scanner) length() int {
	token, escaped := s.quoted()
	if !escaped {
		return max(0, len(token)-2)
	}
	var read string
	if json.Unmarshal(token, &read) != nil {
		return s.fail()
	}
	return len(read)
}

// name reads the name of a member and the colon after it.
func (s *scanner) name() []byte {
	token, escaped := s.quoted()
	if escaped || !s.take(':') {
		s.fail()
	}
	if s.bad {
		return nil
	}
	return token[1 : len(token)-1]
}

// number reads the text of a whole number.
func (s *scanner) number() []byte {
	from := s.at
	s.take('-')
	digits := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	if s.at == digits || s.text[digits] == '0' && s.at > digits+1 {
		s.fail()
		return nil
	}
	switch s.peek() {
	case '.', 'e', 'E':
		s.fail()
		return nil
	}
	return s.text[from:s.at]
}

// objects goes past an object of objects, as field sets are.
func (s *scanner) objects(depth int) {
	if depth == 0 || !s.take('{') {
		s.fail()
		return
	}
	for !s.take('}') && !s.bad {
		token, escaped := s.quoted()
		if escaped && !json.Valid(token) || !s.take(':') {
			s.fail()
			return
		}
		s.objects(depth - 1)
		s.next('}')
	}
}

// next skips a comma, unless it is at the end.
func (s *scanner) next(end byte) {
	if s.peek() == end {
		return
	}
	if !s.take(',') || s.peek() == end {
		s.fail()
	}
}
