package doctor

import (
	"cmp"
	"slices"
	"time"

	"kubarium/flow"
)

const (
	// longestHeld is how long, by the flows' own times, one waits for a write before its own: answers are sent within
	// that.
	longestHeld = 500 * time.Millisecond
	// maxHeld is how many flows wait at most.
	maxHeld = 256
)

// A sequence brings writes into the order in which they were committed. Flows come in the order in which they ended, so
// that of two writes of an object shortly after one another the second may come first: a DELETE after what took the
// finalizer away.
//
// While a revision is missing, flows are held back. Those without effects keep their places, those with effects take
// each other's.
type sequence struct {
	newest int64 // up to here all is handed on; 0 for nothing yet
	held   []*flow.Flow
}

// add takes the next flow, and returns those that can be handed on now.
func (q *sequence) add(f *flow.Flow) []*flow.Flow {
	if len(q.held) == 0 && !q.leavesGap(f) {
		q.pass(f)
		return []*flow.Flow{f}
	}
	q.held = append(q.held, f)
	if len(f.Effects) > 0 && q.whole() || len(q.held) >= maxHeld || ended(f).Sub(ended(q.held[0])) > longestHeld {
		return q.flush()
	}
	return nil
}

// flush returns what is held.
func (q *sequence) flush() []*flow.Flow {
	out := q.held
	q.held = nil
	writes := q.sorted(out)
	for i, f := range out {
		if len(f.Effects) > 0 {
			out[i], writes = writes[0], writes[1:]
		}
	}
	for _, f := range out {
		q.pass(f)
	}
	return out
}

// forget hands on what is held, and expects anything after it.
func (q *sequence) forget() []*flow.Flow {
	out := q.flush()
	q.newest = 0
	return out
}

// leavesGap reports whether a revision is missing before those of a flow.
func (q *sequence) leavesGap(f *flow.Flow) bool {
	return q.newest > 0 && len(f.Effects) > 0 && firstRevision(f) > q.newest+1
}

// pass notes that a flow is handed on.
func (q *sequence) pass(f *flow.Flow) { q.newest = max(q.newest, lastRevision(f)) }

// whole reports whether no revision is missing any more between the held writes.
func (q *sequence) whole() bool {
	sum := sequence{newest: q.newest}
	for _, f := range q.sorted(q.held) {
		if sum.leavesGap(f) {
			return false
		}
		sum.pass(f)
	}
	return true
}

// sorted are the writes among flows in the order of their revisions.
func (*sequence) sorted(flows []*flow.Flow) (writes []*flow.Flow) {
	for _, f := range flows {
		if len(f.Effects) > 0 {
			writes = append(writes, f)
		}
	}
	slices.SortStableFunc(writes, func(a, b *flow.Flow) int { return cmp.Compare(firstRevision(a), firstRevision(b)) })
	return writes
}

func ended(f *flow.Flow) time.Time { return f.Start.Add(f.Duration) }

func firstRevision(f *flow.Flow) int64 { return f.Effects[0].Commit.Revision }

func lastRevision(f *flow.Flow) (last int64) {
	for i := range f.Effects {
		last = max(last, f.Effects[i].Commit.Revision)
	}
	return last
}
