package flow_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"kubarium/flow"
)

// aModel is a model of a log: all flows ever published, and which of them are held.
type aModel struct {
	t      *testing.T
	log    *flow.Log
	limits flow.Limits
	all    []*flow.Flow // by Seq-1
	size   []int64
	held   map[uint64]bool
	pinned map[uint64]bool
	polls  int
}

func isOwn(f *flow.Flow) bool { return f.Client.Own() }

// The classes of a model's flows.
const (
	aClients = iota
	aPoll
	anOwn
)

func classOf(f *flow.Flow) int {
	switch {
	case isOwn(f):
		return anOwn
	case flow.Repeated(f):
		return aPoll
	}
	return aClients
}

// polled makes f a read that is answered as the others.
func polled(f *flow.Flow) {
	f.Target.Verb, f.Status, f.Path, f.Revision = "get", 200, "/api/v1/namespaces/default/pods/web", 12
	f.ResponseBody = flow.Keep(make([]byte, 300))
}

// sizeOf returns the size of a flow according to a log.
func sizeOf(f flow.Flow) int64 {
	l := flow.NewLog(flow.Limits{Flows: 1})
	l.Publish(&f)
	return l.Stats().Bytes
}

// publish publishes a flow and notes which ones aged out.
func (m *aModel) publish(class, body int) {
	m.t.Helper()
	f := &flow.Flow{ResponseBody: flow.Keep(make([]byte, body))}
	f.Client.UserAgent = "kubectl/v1.37"
	switch class {
	case aPoll:
		polled(f)
	case anOwn:
		f.Client.UserAgent = []string{"kubarium-controller/pods", "kubarium-ui", "kubarium-ui/objects"}[body%3]
	}
	m.size = append(m.size, sizeOf(*f))
	m.log.Publish(f)
	m.all = append(m.all, f)
	if want := class == aPoll && m.polls > 0; flow.Repeated(f) != want {
		m.t.Fatalf("flow %d is a repeat: %v", f.Seq, !want)
	}
	if class == aPoll {
		m.polls++
	}
	if f.Seq != uint64(len(m.all)) {
		m.t.Fatalf("flow %d has the number %d", len(m.all), f.Seq)
	}
	m.held[f.Seq] = true
	m.settle()
}

// settle lets the model's flows age out, one after the other, and compares what is left with what the log holds.
func (m *aModel) settle() {
	m.t.Helper()
	now := map[uint64]bool{}
	flows, _ := m.log.Since(0, 0)
	for i, f := range flows {
		if i > 0 && f.Seq <= flows[i-1].Seq {
			m.t.Fatalf("flow %d after %d", f.Seq, flows[i-1].Seq)
		}
		now[f.Seq] = true
	}
	var gone []uint64
	for seq := range m.held {
		if !now[seq] {
			gone = append(gone, seq)
		}
	}
	slices.Sort(gone)
	// The oldest flows of each kind go first, so there is at least one order in which each step is allowed.
	for len(gone) > 0 {
		i := slices.IndexFunc(gone, func(seq uint64) bool { return m.mayGo(m.all[seq-1]) })
		if i < 0 {
			m.t.Fatalf("of %d held flows %v aged out", len(m.held), gone)
		}
		delete(m.held, gone[i])
		gone = slices.Delete(gone, i, i+1)
	}
	if over := m.over(); over && len(m.held) > 1 {
		m.t.Fatalf("%d flows are held, which is over the limits", len(m.held))
	}
	if len(m.held) != len(now) {
		m.t.Fatalf("%d flows are held, want %d", len(now), len(m.held))
	}
}

// count returns the number and the bytes of the held flows of the classes.
func (m *aModel) count(classes ...int) (n int, bytes int64) {
	for seq := range m.held {
		if slices.Contains(classes, classOf(m.all[seq-1])) {
			n, bytes = n+1, bytes+m.size[seq-1]
		}
	}
	return n, bytes
}

func (m *aModel) over() bool {
	n, bytes := m.count(aClients, aPoll, anOwn)
	return n > m.limits.Flows || bytes > m.limits.Bytes
}

// yields reports whether a class holds more than a sixteenth of the log, and not only the newest flow of all.
func (m *aModel) yields(class int) bool {
	n, bytes := m.count(class)
	return (n > max(1, m.limits.Flows/16) || bytes > m.limits.Bytes/16) &&
		(n > 1 || n == 1 && classOf(m.all[len(m.all)-1]) != class)
}

// mayGo is the rule: flows age out only while the log is over its limits, and never the newest one. Kubarium's own go
// first, oldest first, if they are more than a sixteenth of the log; then polling, in the same way; then the oldest of
// all.
func (m *aModel) mayGo(f *flow.Flow) bool {
	if !m.over() || f.Seq == uint64(len(m.all)) {
		return false
	}
	isOldest := func(of ...int) bool {
		for seq := range m.held {
			if seq < f.Seq && slices.Contains(of, classOf(m.all[seq-1])) {
				return false
			}
		}
		return true
	}
	for _, class := range []int{anOwn, aPoll} {
		if m.yields(class) {
			return classOf(f) == class && isOldest(class)
		}
	}
	return isOldest(aClients, aPoll, anOwn)
}

// compare compares all answers of the log with the model.
func (m *aModel) compare(r *rand.Rand) {
	m.t.Helper()
	s := m.log.Stats()
	var evicted, own, polls uint64
	for i, f := range m.all {
		held := m.held[f.Seq]
		if !held {
			evicted++
			switch classOf(f) {
			case aPoll:
				polls++
			case anOwn:
				own++
			}
		}
		if s.Holds(f) != held {
			m.t.Fatalf("flow %d is held: %v, says %+v", f.Seq, held, s)
		}
		want := f
		if !held && !m.pinned[f.Seq] {
			want = nil
		}
		if got := m.log.Get(uint64(i + 1)); got != want {
			m.t.Fatalf("flow %d (held %v, pinned %v) is %v", f.Seq, held, m.pinned[f.Seq], got)
		}
	}
	n, bytes := m.count(aClients, aPoll, anOwn)
	if s.Published != uint64(len(m.all)) || s.Evicted != evicted || s.EvictedOwn != own || s.EvictedRepeated != polls ||
		s.Flows != n || s.Bytes != bytes {
		m.t.Fatalf("%+v, want %d published, %d, %d and %d evicted, %d held in %d bytes", s, len(m.all), evicted, own,
			polls, n, bytes)
	}
	after, most := r.Uint64N(uint64(len(m.all))+2), r.IntN(20)
	flows, missed := m.log.Since(after, most)
	var want []*flow.Flow
	var miss, pending flow.Missed
	for _, f := range m.all[min(after, uint64(len(m.all))):] {
		switch {
		case most > 0 && len(want) == most:
		case m.held[f.Seq]:
			want = append(want, f)
			miss = pending
		case isOwn(f):
			pending.Own++
		default:
			pending.Others++
		}
	}
	if !slices.Equal(flows, want) || missed != miss {
		m.t.Fatalf("since %d at most %d: %d flows, missed %+v; want %d, %+v", after, most, len(flows), missed,
			len(want), miss)
	}
}

// For random flows, the log holds, returns and counts what the model says: Kubarium's own flows and
// polling age out first.
func TestLog_OwnAgeOutFirst(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			limits := flow.Limits{Flows: 1 + r.IntN(70), Bytes: math.MaxInt64}
			if r.IntN(2) == 0 {
				limits.Bytes = 2000 + r.Int64N(80_000)
			}
			m := &aModel{t: t, log: flow.NewLog(limits), limits: limits, held: map[uint64]bool{},
				pinned: map[uint64]bool{}}
			ownOf, pollOf, body := r.IntN(11), r.IntN(11), 1+r.IntN(6000)
			for range 300 {
				if r.IntN(40) == 0 {
					ownOf, pollOf = r.IntN(11), r.IntN(11)
				}
				class := aClients
				if r.IntN(10) < ownOf {
					class = anOwn
				} else if r.IntN(10) < pollOf {
					class = aPoll
				}
				m.publish(class, r.IntN(body))
				m.pin(r)
				if r.IntN(5) == 0 {
					m.compare(r)
				}
			}
			m.compare(r)
		})
	}
}

func (m *aModel) pin(r *rand.Rand) {
	seq := r.Uint64N(uint64(len(m.all)) + 1)
	switch r.IntN(6) {
	case 0:
		if got, want := m.log.Pin(seq), m.held[seq] || m.pinned[seq]; got != want {
			m.t.Fatalf("pin of %d: %v", seq, got)
		} else if got {
			m.pinned[seq] = true
		}
	case 1:
		m.log.Unpin(seq)
		delete(m.pinned, seq)
	}
}

// Many requests of controllers take at most a sixteenth of the log from others, and many other requests leave them the
// newest ones.
func TestLog_Shares(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 1600})
	crowd := func(agent string, n int) {
		for range n {
			l.Publish(&flow.Flow{Client: flow.Client{UserAgent: agent}})
		}
	}
	held := func() (own, others int) {
		flows, _ := l.Since(0, 0)
		for _, f := range flows {
			if isOwn(f) {
				own++
			}
		}
		return own, len(flows) - own
	}
	crowd("kubarium-controller/pods", 5000)
	if own, others := held(); own != 1600 || others != 0 {
		t.Errorf("alone controllers hold %d of 1600, others %d", own, others)
	}
	crowd("kubectl/v1", 1000)
	if own, others := held(); own != 600 || others != 1000 {
		t.Errorf("%d own with %d of 1000 others", own, others)
	}
	crowd("kubarium-controller/pods", 5000)
	if own, others := held(); own != 600 || others != 1000 {
		t.Errorf("%d own with %d of 1000 others, after a crowd", own, others)
	}
	crowd("kubectl/v1", 600)
	crowd("kubarium-controller/pods", 5000)
	if own, others := held(); own != 100 || others != 1500 {
		t.Errorf("%d own with %d of 1600 others", own, others)
	}
	crowd("kubectl/v1", 1700)
	if own, others := held(); own != 0 || others != 1600 {
		t.Errorf("%d own, older than all %d others", own, others)
	}
}

// Polling takes at most a sixteenth of the log from others, and others leave it the newest ones.
func TestLog_Shares_polling(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 1600})
	writes := func(n int) {
		for range n {
			l.Publish(&flow.Flow{Target: flow.Target{Verb: "update"}, Status: 200})
		}
	}
	polls := func(n int) {
		for range n {
			f := &flow.Flow{}
			polled(f)
			l.Publish(f)
		}
	}
	held := func() (polls, others int) {
		flows, _ := l.Since(0, 0)
		for _, f := range flows {
			if flow.Repeated(f) {
				polls++
			}
		}
		return polls, len(flows) - polls
	}
	writes(1000)
	polls(10_000)
	if polls, others := held(); polls != 599 || others != 1001 {
		t.Errorf("%d polls and %d of 1001 others", polls, others)
	}
	writes(499)
	polls(10_000)
	if polls, others := held(); polls != 100 || others != 1500 {
		t.Errorf("%d polls and %d of 1500 others", polls, others)
	}
	writes(1000)
	if polls, others := held(); polls != 100 || others != 1500 {
		t.Errorf("%d polls and %d of 2500 others", polls, others)
	}
}

// The sender of a flow that aged out long ago is forgotten: it counts as another client's, and the total stays right.
func TestLog_forgetsSenders(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 10})
	const all = 1<<20 + 100_000
	for i := range all {
		f := &flow.Flow{}
		if i%2 == 0 {
			f.Client.UserAgent = "kubarium-ui"
		}
		l.Publish(f)
	}
	if flows, missed := l.Since(0, 0); missed.All() != all-uint64(len(flows)) || missed.Own < 1<<19-64 ||
		missed.Own > 1<<19 {
		t.Errorf("%+v of %d flows, %d held", missed, all, len(flows))
	}
	if flows, missed := l.Since(all-1000, 0); missed.All()+uint64(len(flows)) != 1000 || missed.Own < 490 ||
		missed.Own > 500 {
		t.Errorf("%+v of the last 1000, %d held", missed, len(flows))
	}
	if flows, missed := l.Since(math.MaxUint64, 0); flows != nil || missed.All() != 0 {
		t.Errorf("after the end: %d flows, %+v", len(flows), missed)
	}
}

// A log of many flows remembers the senders of as many again.
func TestLog_remembersSenders(t *testing.T) {
	l := flow.NewLog(flow.Limits{Flows: 3 << 20, Bytes: 3 << 30})
	body := flow.Keep(make([]byte, 2<<20)) // one for all, but it counts for each
	const all = 1<<20 + 300_000
	for i := range all {
		f := &flow.Flow{ResponseBody: body}
		if i%2 == 0 {
			f.Client.UserAgent = "kubarium-ui"
		}
		l.Publish(f)
	}
	flows, missed := l.Since(0, 0)
	own := 0
	for _, f := range flows {
		if isOwn(f) {
			own++
		}
	}
	if missed.All() != all-uint64(len(flows)) || missed.Own != all/2-uint64(own) {
		t.Errorf("%+v of %d flows, %d held", missed, all, len(flows))
	}
}
