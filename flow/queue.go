package flow

import "sort"

// A queue holds flows in the order of their sequence numbers, which may have gaps: flows are added at its end and age
// out at its beginning.
type queue struct {
	ring  []*Flow // its length is a power of two
	first int     // the slot of the oldest
	n     int
	bytes int64 // the sizes of all together
}

// fewSlots is the number of slots that a queue begins with.
const fewSlots = 64

func (q *queue) at(i int) *Flow { return q.ring[(q.first+i)&(len(q.ring)-1)] }

// add appends a flow. The slots double when they are full, so that an idle Log needs little memory.
func (q *queue) add(f *Flow) {
	if q.n == len(q.ring) {
		q.grow()
	}
	q.ring[(q.first+q.n)&(len(q.ring)-1)] = f
	q.n++
	q.bytes += f.held
}

func (q *queue) grow() {
	ring := make([]*Flow, max(fewSlots, 2*q.n))
	q.copy(ring, 0)
	q.ring, q.first = ring, 0
}

// drop removes and returns the oldest flow.
func (q *queue) drop() *Flow {
	slot := &q.ring[q.first]
	f := *slot
	*slot = nil
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
	q.bytes -= f.held
	return f
}

// copy copies the flows from the i-th on and returns their number.
func (q *queue) copy(to []*Flow, i int) int {
	if i >= q.n {
		return 0
	}
	to = to[:min(len(to), q.n-i)]
	begin := (q.first + i) & (len(q.ring) - 1)
	n := copy(to, q.ring[begin:])
	return n + copy(to[n:], q.ring)
}

// after returns a copy of the flows above seq, at most most of them; 0 means no limit.
func (q *queue) after(seq uint64, most int) []*Flow {
	i := q.find(seq + 1)
	n := q.n - i
	if most > 0 {
		n = min(n, most)
	}
	out := make([]*Flow, n)
	q.copy(out, i)
	return out
}

// find returns the position of the first flow with this sequence number or a higher one, q.n if there is none. The
// numbers bound the positions to search.
func (q *queue) find(seq uint64) int {
	if q.n == 0 || seq > q.at(q.n-1).Seq {
		return q.n
	}
	oldest, newest := q.at(0).Seq, q.at(q.n-1).Seq
	if seq <= oldest {
		return 0
	}
	low, high := 0, q.n-1
	if later := newest - seq; later < uint64(q.n) {
		low = q.n - 1 - int(later)
	}
	if before := seq - oldest; before < uint64(high) {
		high = int(before)
	}
	return low + sort.Search(high-low, func(i int) bool { return q.at(low+i).Seq >= seq })
}

// get returns the flow with this sequence number, nil if it is not in the queue.
func (q *queue) get(seq uint64) *Flow {
	if i := q.find(seq); i < q.n && q.at(i).Seq == seq {
		return q.at(i)
	}
	return nil
}

// oldest returns the number of the oldest flow; none if the queue is empty.
func (q *queue) oldest(none uint64) uint64 {
	if q.n == 0 {
		return none
	}
	return q.at(0).Seq
}
