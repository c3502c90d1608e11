package flow

import (
	"math"
	"sync"
	"time"
)

// Limits bounds a Log. A zero field takes its default.
type Limits struct {
	Flows   int   // records; 50,000, or Unlimited if Bytes are given
	Bytes   int64 // estimated memory of the records; 64 MiB
	Commits int   // changes on the timeline; 16,384
	Pinned  int64 // bytes that pins may keep from ageing out; 16 MiB, or a quarter of Bytes if that is more
	// KeepEnded is how long ended watches are remembered; 2 minutes. Forever is for runs that are over.
	KeepEnded time.Duration
	// Now is the clock that KeepEnded is measured by; time.Now. It may be called while the Log is locked.
	Now func() time.Time
}

// Forever is a duration without end.
const Forever time.Duration = math.MaxInt64

// Unlimited is the number of records of a Log that only their bytes limit.
const Unlimited = math.MaxInt

// withDefaults gives zero fields their defaults.
func (l Limits) withDefaults() Limits {
	if l.Flows <= 0 {
		l.Flows = 50_000
		if l.Bytes > 0 {
			l.Flows = Unlimited
		}
	}
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Commits <= 0 {
		l.Commits = 1 << 14
	}
	if l.Pinned <= 0 {
		l.Pinned = 16 << 20
		if l.Bytes > 64<<20 && l.Bytes < 1<<40 {
			l.Pinned = l.Bytes / 4
		}
	}
	if l.KeepEnded <= 0 {
		l.KeepEnded = 2 * time.Minute
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	return l
}

// most is how many flows fit into a Log.
func (l Limits) most() int64 { return min(int64(l.Flows), l.Bytes/sizeFlow) }

// Stats counts what happened to a Log since its start. Flows that another process published and that were gone before
// they could be adopted (Log.AdoptMissed) count as published and as evicted.
type Stats struct {
	Published uint64
	Newest    uint64 // the number of the newest flow: equal to Published, unless flows are adopted
	Evicted   uint64 // flows that aged out
	// EvictedOwn is how many of them were Kubarium's own; clients lost Evicted-EvictedOwn.
	EvictedOwn      uint64
	EvictedRepeated uint64 // how many of them were reads of clients that poll
	Flows           int    // now held
	Bytes           int64  // now held
	Limits          Limits

	// The numbers of the oldest flows that are held: of clients, of clients that poll, and of Kubarium's own. All later
	// ones of the same kind are held too. If there are none, it is the number of the next flow.
	Oldest, OldestRepeated, OldestOwn uint64
}

// Holds reports whether the Log holds a flow that it published, apart from pins.
func (s *Stats) Holds(f *Flow) bool {
	switch f.class {
	case ofKubarium:
		return f.Seq >= s.OldestOwn
	case repeated:
		return f.Seq >= s.OldestRepeated
	}
	return f.Seq >= s.Oldest
}

// Missed is how many flows had aged out before a reader read them.
type Missed struct {
	Others uint64 // of clients, and those whose sender the Log has forgotten
	Own    uint64 // of Kubarium's own
}

// All is the number of both.
func (m Missed) All() uint64 { return m.Others + m.Own }

// A Log is a bounded log of flows in memory: the newest are kept, limited by number and bytes. Kubarium's own flows, and
// reads that a client repeats and that are answered as before, age out before others, except the newest of each, which
// may hold a sixteenth of the Log; so the numbers of the flows held have gaps. It also holds the timeline of commits and
// the open watches. All methods are safe for concurrent use; none waits for a reader.
type Log struct {
	limits   Limits
	tags     tagger
	heads    heads
	readers  readers
	underway underway
	repeats  repeats

	mu      sync.Mutex // guards all below; no wait while it is held, and no other lock but that of repeats
	next    uint64     // the next flow's Seq
	bytes   int64
	queues  [classes]queue
	evicted [classes]uint64
	sent    marks // which flows are Kubarium's own, including those that have aged out
	gaps    *gaps // nil until flows are adopted
	pinned  map[uint64]*Flow
	pinSize int64

	commits     []Commit // a ring
	commitCount uint64   // commits published in all
	head        int64
	compacted   int64

	watches map[uint64]*Watch
	watchID uint64
	sweepAt int // number of watches at which ended ones are forgotten next

	moments map[string]uint64
}

// NewLog returns an empty Log.
func NewLog(l Limits) *Log {
	l = l.withDefaults()
	return &Log{
		limits: l, next: 1, sent: newMarks(l.most()),
		pinned: map[uint64]*Flow{}, watches: map[uint64]*Watch{},
	}
}

// Publish gives f its sequence number and appends it. The caller must not change f afterwards.
func (l *Log) Publish(f *Flow) {
	f.held, f.class = f.size(), l.class(f)
	l.mu.Lock()
	f.Seq = l.next
	if f.Seq%64 == 0 {
		l.sent.begin(f.Seq)
	}
	l.add(f)
	l.mu.Unlock()
	l.poke()
}

// add appends a flow that has its number already, the next one or a later one.
func (l *Log) add(f *Flow) {
	l.next = f.Seq + 1
	l.bytes += f.held
	l.queues[f.class].add(f)
	if f.class == ofKubarium {
		l.sent.set(f.Seq)
	}
	l.age()
}

// Since returns the flows held with a sequence number above seq, oldest first, at most max (0 means no limit), and how
// many flows between seq and the last one returned have aged out. The newest flow never ages out, so a reader that
// continues from the last flow it got learns of every flow missed.
func (l *Log) Since(seq uint64, max int) (flows []*Flow, missed Missed) {
	held, seq := l.after(seq, max)
	flows = merge(held)
	if max > 0 && len(flows) > max {
		flows = flows[:max]
	}
	if len(flows) == 0 {
		return nil, Missed{}
	}
	if gone := flows[len(flows)-1].Seq - seq - uint64(len(flows)); gone > 0 {
		missed = l.missed(flows, seq, gone)
	}
	return flows, missed
}

// missed divides the flows gone between seq and the last of these flows by sender.
func (l *Log) missed(flows []*Flow, seq, gone uint64) Missed {
	var held uint64
	for _, f := range flows {
		if f.class == ofKubarium {
			held++
		}
	}
	last := flows[len(flows)-1].Seq
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gaps != nil {
		gone -= min(gone, l.gaps.none.count(seq, last, l.next))
	}
	own := l.sent.count(seq, last, l.next)
	own = min(own-min(own, held), gone)
	return Missed{Own: own, Others: gone - own}
}

// after copies the flows above seq, at most max of each class. from is seq, or the number after which the Log has flows.
func (l *Log) after(seq uint64, max int) (flows [classes][]*Flow, from uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq >= l.next-1 {
		return flows, seq
	}
	if l.gaps != nil && seq < l.gaps.before {
		seq = l.gaps.before
	}
	for c := range l.queues {
		flows[c] = l.queues[c].after(seq, max)
	}
	return flows, seq
}

// merge merges the lists of all classes in order of Seq.
func merge(lists [classes][]*Flow) []*Flow {
	out := lists[ofClients]
	for _, more := range lists[ofClients+1:] {
		out = mergeTwo(out, more)
	}
	return out
}

func mergeTwo(a, b []*Flow) []*Flow {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make([]*Flow, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].Seq < b[0].Seq {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
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
	for c := range l.queues {
		if f := l.queues[c].get(seq); f != nil {
			return f
		}
	}
	return nil
}

// Pin keeps a flow from ageing out until Unpin. It returns false if the flow is gone, or if pins hold Limits.Pinned
// bytes already.
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

// Unpin undoes a Pin.
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
	held := l.held()
	published := l.next - 1
	if l.gaps != nil {
		published -= l.gaps.before + l.gaps.skipped
	}
	return Stats{
		Published: published, Newest: l.next - 1, Evicted: published - uint64(held),
		EvictedOwn: l.evicted[ofKubarium], EvictedRepeated: l.evicted[repeated],
		Flows: held, Bytes: l.bytes, Limits: l.limits, Oldest: l.queues[ofClients].oldest(l.next),
		OldestRepeated: l.queues[repeated].oldest(l.next), OldestOwn: l.queues[ofKubarium].oldest(l.next),
	}
}

// Tag returns the short name of a client; see Client.Tag.
func (l *Log) Tag(c Client) string { return l.tags.tag(c) }

// Committed appends changes of the store to the timeline, in the order of their revisions.
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
		l.head = max(l.head, c.Revision)
	}
	l.mu.Unlock()
	l.poke()
}

// SetHead notes the store's newest and its compacted revision, at the start or after a compaction.
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

// Commits returns the commits of the timeline above number n (commits count from 1), oldest first, and the number of
// the last one, for the next call.
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
