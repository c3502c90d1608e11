package flow

import (
	"sync"
	"time"
)

// Limits bounds a Log. A zero field takes its default.
type Limits struct {
	Flows   int   // records; 50,000
	Bytes   int64 // estimated memory of the records; 64 MiB
	Commits int   // changes on the timeline; 16,384
	Pinned  int64 // bytes that pins may hold back from ageing; 16 MiB
}

// Stats counts what happened to a Log since its start.
type Stats struct {
	Published uint64
	Evicted   uint64 // flows that aged out
	Flows     int    // now held
	Bytes     int64  // now held
	Limits    Limits
}

// A Log is a bounded log of flows in memory: the newest are kept, by number and by bytes. It also holds the timeline
// of commits and the open watches. All methods are safe for concurrent use; none waits for a reader.
type Log struct {
	limits   Limits
	tags     tagger
	heads    heads
	readers  readers
	underway underway

	mu      sync.Mutex // guards all below; never held while anything else is locked or waited for
	ring    []*Flow    // a ring over Limits.Flows slots; Flow with sequence s sits at s % len
	next    uint64     // the next flow's Seq
	oldest  uint64     // Seq of the oldest flow held; == next when empty
	bytes   int64
	evicted uint64
	pinned  map[uint64]*Flow
	pinSize int64

	commits     []Commit // a ring as well
	commitCount uint64   // commits published in all
	head        int64
	compacted   int64

	watches map[uint64]*Watch
	watchID uint64
	sweepAt int // how many watches there are when those that ended long ago are forgotten next

	moments map[string]uint64
}

// NewLog returns an empty Log.
func NewLog(l Limits) *Log {
	if l.Flows <= 0 {
		l.Flows = 50_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Commits <= 0 {
		l.Commits = 1 << 14
	}
	if l.Pinned <= 0 {
		l.Pinned = 16 << 20
	}
	return &Log{limits: l, next: 1, oldest: 1, pinned: map[uint64]*Flow{}, watches: map[uint64]*Watch{}}
}

// Publish gives f its sequence number and appends it. The caller must not change f afterwards.
func (l *Log) Publish(f *Flow) {
	f.held = f.size()
	l.mu.Lock()
	if len(l.ring) < l.limits.Flows && int(l.next) >= len(l.ring) {
		l.grow()
	}
	f.Seq = l.next
	l.next++
	if slot := &l.ring[f.Seq%uint64(len(l.ring))]; *slot != nil {
		l.evict()
	}
	l.ring[f.Seq%uint64(len(l.ring))] = f
	l.bytes += f.held
	for l.bytes > l.limits.Bytes && l.oldest < f.Seq {
		l.evict()
	}
	l.mu.Unlock()
	l.poke()
}

// grow doubles the ring up to its limit, so that an idle Log holds no slots for flows that never came.
func (l *Log) grow() {
	n := min(max(1024, 2*len(l.ring)), l.limits.Flows)
	ring := make([]*Flow, n)
	for s := l.oldest; s < l.next; s++ {
		ring[s%uint64(n)] = l.ring[s%uint64(len(l.ring))]
	}
	l.ring = ring
}

// evict drops the oldest flow.
func (l *Log) evict() {
	slot := &l.ring[l.oldest%uint64(len(l.ring))]
	if f := *slot; f != nil {
		l.bytes -= f.held
		l.evicted++
	}
	*slot = nil
	l.oldest++
}

// Since returns the flows held with a sequence number above seq, oldest first, at most max (0 means no limit), and
// how many above seq have already aged out.
func (l *Log) Since(seq uint64, max int) (flows []*Flow, missed uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := seq + 1
	if from < l.oldest {
		missed = l.oldest - from
		from = l.oldest
	}
	if from >= l.next {
		return nil, missed
	}
	n := int(l.next - from)
	if max > 0 && n > max {
		n = max
	}
	flows = make([]*Flow, n)
	for i := range flows {
		flows[i] = l.ring[(from+uint64(i))%uint64(len(l.ring))]
	}
	return flows, missed
}

// Get returns the flow with this sequence number, or nil if it has aged out and is not pinned.
func (l *Log) Get(seq uint64) *Flow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.get(seq)
}

func (l *Log) get(seq uint64) *Flow {
	if f := l.pinned[seq]; f != nil {
		return f
	}
	if seq < l.oldest || seq >= l.next {
		return nil
	}
	return l.ring[seq%uint64(len(l.ring))]
}

// Pin keeps a flow from ageing out until Unpin, and reports whether it could: false if it is gone, or if pins hold
// Limits.Pinned bytes already.
func (l *Log) Pin(seq uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pinned[seq] != nil {
		return true
	}
	f := l.get(seq)
	if f == nil || l.pinSize+f.held > l.limits.Pinned {
		return false
	}
	l.pinned[seq] = f
	l.pinSize += f.held
	return true
}

// Unpin takes a Pin back.
func (l *Log) Unpin(seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.pinned[seq]; f != nil {
		delete(l.pinned, seq)
		l.pinSize -= f.held
	}
}

// Stats returns the Log's counters.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Published: l.next - 1, Evicted: l.evicted, Flows: int(l.next - l.oldest), Bytes: l.bytes, Limits: l.limits}
}

// Tag returns the short name of a client; see Client.Tag.
func (l *Log) Tag(userAgent, session string) string { return l.tags.tag(userAgent, session) }

// Committed appends changes of the store, in the order of their revisions, to the timeline.
func (l *Log) Committed(cs ...Commit) {
	if len(cs) == 0 {
		return
	}
	l.mu.Lock()
	for _, c := range cs {
		if len(l.commits) < l.limits.Commits {
			l.commits = append(l.commits, c)
		} else {
			l.commits[l.commitCount%uint64(len(l.commits))] = c
		}
		l.commitCount++
		l.head = c.Revision
	}
	l.mu.Unlock()
	l.poke()
}

// SetHead states the store's newest and compaction revision, as read at the start or changed by a compaction.
func (l *Log) SetHead(head, compacted int64) {
	l.mu.Lock()
	l.head, l.compacted = max(l.head, head), max(l.compacted, compacted)
	l.mu.Unlock()
	l.poke()
}

// Head returns the newest revision of the store and the newest compacted one (0 if none was).
func (l *Log) Head() (head, compacted int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head, l.compacted
}

// Commits returns the commits of the timeline numbered above n (commits are counted from 1), oldest first, and the
// number of the last one returned, to be handed in the next time.
func (l *Log) Commits(n uint64) ([]Commit, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := uint64(len(l.commits))
	if l.commitCount-n > size || n > l.commitCount {
		n = l.commitCount - size
	}
	out := make([]Commit, 0, l.commitCount-n)
	for i := n; i < l.commitCount; i++ {
		out = append(out, l.commits[i%size])
	}
	return out, l.commitCount
}

// Watches returns the open watches and those that ended less than keep ago, ordered by ID.
func (l *Log) Watches(keep time.Duration) []*Watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetEnded()
	out := make([]*Watch, 0, len(l.watches))
	for _, w := range l.watches {
		if at := w.ended(); at.IsZero() || time.Since(at) <= keep {
			out = append(out, w)
		}
	}
	sortWatches(out)
	return out
}

// forgetEnded drops the watches that ended more than keepEnded ago. Whether or not anybody looks, it happens each time
// that there are twice as many as were left the last time.
func (l *Log) forgetEnded() {
	for id, w := range l.watches {
		if at := w.ended(); !at.IsZero() && time.Since(at) > keepEnded {
			delete(l.watches, id)
		}
	}
	l.sweepAt = max(fewWatches, 2*len(l.watches))
}

// fewWatches is how many watches are never too many to remember.
const fewWatches = 64

// keepEnded is how long the Log remembers a watch that has ended.
const keepEnded = 2 * time.Minute
