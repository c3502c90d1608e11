package outline

import (
	"math/bits"
	"unsafe"
)

// A message is what is known of a struct: its fields in JSON by name, and what they take in Protobuf.
type message struct {
	fields map[string]int // places in list
	list   []field
	// parts are the struct itself, and the embedded structs, whose fields are among its own in JSON: in Protobuf these
	// are messages of their own.
	parts []part
	meta  bool // the object's metadata, with its labels and resourceVersion
}

// A part is a message within a message.
type part struct {
	within int // the part that it is a field of
	tag    int // bytes of the field's number
	zero   int // bytes of its fields when all are absent, except parts
}

// A field is one of a message.
type field struct {
	part   int
	zero   int                  // bytes that it takes when it is absent, its number included
	read   func(s *scanner) int // reads a value and returns the bytes that it takes, the field's number included
	reads0 bool                 // read is for null as well, which for others is the same as to be absent
}

// mostFields and mostParts are what a message may have.
const (
	mostFields = 128
	mostParts  = 8
)

// read reads an object and returns how many bytes it has.
func (m *message) read(s *scanner) int {
	var sums [mostParts]int
	for i, p := range m.parts {
		sums[i] = p.zero
	}
	if m.meta {
		s.versioned = true
		sums[0] += varint(s.version) + s.version - varint(0)
	}
	m.members(s, &sums)
	return m.sum(&sums)
}

// members reads the members of an object.
func (m *message) members(s *scanner, sums *[mostParts]int) {
	var seen [mostFields / 64]uint64
	if !s.take('{') {
		s.fail()
		return
	}
	for !s.take('}') && !s.bad {
		at, known := m.fields[string(s.name())]
		if !known || seen[at/64]&(1<<(at%64)) != 0 {
			s.fail()
			return
		}
		seen[at/64] |= 1 << (at % 64)
		f := &m.list[at]
		if f.reads0 || !s.word("null") {
			sums[f.part] += f.read(s) - f.zero
		}
		s.next('}')
	}
}

// sum adds up the parts; each is a field of one before it.
func (m *message) sum(sums *[mostParts]int) int {
	for i := len(m.parts) - 1; i > 0; i-- {
		p := m.parts[i]
		sums[p.within] += p.tag + varint(sums[i]) + sums[i]
	}
	return sums[0]
}

// zero is how many bytes it has when all fields are absent.
func (m *message) zero() int {
	var sums [mostParts]int
	for i, p := range m.parts {
		sums[i] = p.zero
	}
	return m.sum(&sums)
}

// varint is how many bytes a length has.
func varint(n int) int { return varint64(uint64(n)) }

func varint64(n uint64) int { return (bits.Len64(n|1) + 6) / 7 }

// text is a part of the object's text as a string, for as long as that is not changed.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
