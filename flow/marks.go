package flow

import "math/bits"

// marks hold one bit for each of the last flows, including those that have aged out.
type marks struct {
	bits []uint64 // for flow s: bit s%64 of word s/64, in a ring of most words
	most uint64   // a power of two
}

// Bounds of marks.most, in words of 64 flows: one million flows in 128 KiB, and 268 million in 32 MiB.
const (
	fewMarks  = 1 << 14
	mostMarks = 1 << 22
)

// newMarks returns marks for a Log of so many flows, and for at least as many that have aged out.
func newMarks(flows int64) marks {
	most := uint64(fewMarks)
	for most < mostMarks && int64(most) < flows/32 {
		most *= 2
	}
	return marks{bits: make([]uint64, 1), most: most}
}

// word is the word of a flow.
func (m *marks) word(seq uint64) *uint64 { return &m.bits[seq/64&(m.most-1)] }

// begin makes room for 64 flows from seq, a multiple of 64.
func (m *marks) begin(seq uint64) {
	if word := seq / 64 & (m.most - 1); word < uint64(len(m.bits)) {
		m.bits[word] = 0
	} else {
		m.bits = append(m.bits, 0)
	}
}

// reach makes room for the flows after one number up to another, however many.
func (m *marks) reach(after, upto uint64) {
	if n := uint64(len(m.bits)); n < m.most {
		m.bits = append(m.bits, make([]uint64, m.most-n)...)
	}
	first, last := after/64+1, upto/64
	if last >= m.most {
		first = max(first, last-m.most+1)
	}
	for word := first; word <= last; word++ {
		m.bits[word&(m.most-1)] = 0
	}
}

// set marks a flow.
func (m *marks) set(seq uint64) { *m.word(seq) |= 1 << (seq % 64) }

// setAll marks the flows after one number up to another, for which reach has made room; the oldest may be forgotten.
func (m *marks) setAll(after, upto uint64) {
	m.each(after, upto, upto+1, func(word *uint64, of uint64) { *word |= of })
}

// count counts the marked flows after one number up to another, as far as marks go back from next.
func (m *marks) count(after, upto, next uint64) (n uint64) {
	m.each(after, upto, next, func(word *uint64, of uint64) { n += uint64(bits.OnesCount64(*word & of)) })
	return n
}

// each calls fn with the words of these flows and their bits in them.
func (m *marks) each(after, upto, next uint64, fn func(word *uint64, of uint64)) {
	from := after + 1
	if all := m.most * 64; next > all {
		from = max(from, (next-1)/64*64-all+64)
	}
	for from <= upto {
		some := min(64-from%64, upto-from+1)
		fn(m.word(from), (1<<some-1)<<(from%64))
		from += some
	}
}
