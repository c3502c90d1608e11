package flow

import "math/bits"

// ownShare is the part of a Log that the newest of Kubarium's own requests may hold in any case. Without it a reader of a full Log
// would never see what controllers do; with it others keep all but a sixteenth.
const ownShare = 16

// age lets flows go until the Log is within its limits. The newest flow always stays.
func (l *Log) age() {
	for held := l.own.n + l.others.n; (held > l.limits.Flows || l.bytes > l.limits.Bytes) && held > 1; held-- {
		if l.own.n > 0 && l.ownFirst() {
			gone := l.own.drop()
			l.bytes -= gone.held
			l.ownBytes -= gone.held
			l.evictedOwn++
		} else {
			l.bytes -= l.others.drop().held
		}
	}
}

// ownFirst tells whether the next to age out is one of Kubarium's own flows, of which there are some: where it is the oldest of all,
// or where they hold more than their share.
func (l *Log) ownFirst() bool {
	switch {
	case l.others.n == 0:
		return true
	case l.own.n > max(1, l.limits.Flows/ownShare), l.ownBytes > l.limits.Bytes/ownShare:
		return l.own.n > 1 || l.own.at(0).Seq < l.next-1 // which is the newest of all
	}
	return l.own.at(0).Seq < l.others.at(0).Seq
}

// senders remembers of the last flows, a bit each, whether Kubarium sent them, also of those that have aged out.
type senders struct {
	bits []uint64 // of flow s, bit s%64 of word s/64, in a ring of mostSenders words
}

// mostSenders is how many words of 64 flows are remembered: one million flows in 128 KiB.
const mostSenders = 1 << 14

// begin makes room for the flows from a multiple of 64 on.
func (s *senders) begin(seq uint64) {
	if word := seq / 64 % mostSenders; word < uint64(len(s.bits)) {
		s.bits[word] = 0
	} else {
		s.bits = append(s.bits, 0)
	}
}

// setOwn notes that a flow is Kubarium's own.
func (s *senders) setOwn(seq uint64) { s.bits[seq/64%mostSenders] |= 1 << (seq % 64) }

// own counts Kubarium's own flows behind one number up to another, as far as they are remembered of all before next.
func (s *senders) own(behind, upto, next uint64) (n uint64) {
	from := behind + 1
	if all := uint64(mostSenders * 64); next > all {
		from = max(from, (next-1)/64*64-all+64)
	}
	for from <= upto {
		word := s.bits[from/64%mostSenders] >> (from % 64)
		some := min(64-from%64, upto-from+1)
		n += uint64(bits.OnesCount64(word & (1<<some - 1)))
		from += some
	}
	return n
}
