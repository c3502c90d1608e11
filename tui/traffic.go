package tui

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/filter"
)

// traffic is the list of requests: those that the filter lets through, in the order of sort, oldest first.
type traffic struct {
	u      *ui
	passed []*flow.Flow // what the filter lets through
	rows   []*flow.Flow // what is listed: passed, with folded kubectl runs as their first request alone
	cursor int          // index into rows
	top    int          // first visible row
	tall   int          // visible rows
	follow bool
	newer  int // rows that came since the selection was pinned

	sort   order
	sorted time.Time // when rows were last sorted or folded
	stale  bool      // rows do not show all that has passed, or not in its order
	clock  clock
	first  time.Time // Start of the first flow seen, zero of the relative clock

	refused map[string]uint64 // seq of the last refused write, by who, verb and target
	writers map[int64]string  // who wrote a revision, for the newest ones
	retries map[uint64]uint64 // seq of a write that was tried again → seq of the refused one

	own     bool     // Kubarium's own requests and watches are shown as well
	hidden  []uint64 // Seq of its own requests that are not shown and would pass the filter
	ownGone uint64   // how many of its own had aged out when passed was last looked through for them
	runs    runs

	match       *filter.Filter // nil lets everything through
	generation  int            // of the filter; an answer for an older one is dropped
	lastRun     string         // the Kubectl-Session of the newest kubectl run
	openWatches bool           // a visible row counts the events of an open watch
}

func (t *traffic) init(u *ui) {
	*t = traffic{u: u, follow: true, refused: map[string]uint64{}, retries: map[uint64]uint64{}, writers: map[int64]string{}}
}

func (t *traffic) context() place { return inTraffic }
func (t *traffic) name() string   { return "traffic" }
func (t *traffic) height() int    { return max(1, t.tall) }

// An order is what the list is sorted by.
type order int

const (
	byTime order = iota
	byDuration
	byCode
	byTarget
	byWho
	orders
)

func (o order) String() string { return [...]string{"time", "duration", "code", "target", "who"}[o] }

// A clock is how the list shows when something was.
type clock int

const (
	sinceFirst clock = iota
	timeOfDay
	sincePrevious
	clocks
)

func (c clock) String() string {
	return [...]string{"since the first", "time of day", "since the previous"}[c]
}

// fold adds new records.
func (t *traffic) fold(flows []*flow.Flow) {
	added := 0
	for _, f := range flows {
		if t.first.IsZero() {
			t.first = f.Start
		}
		t.noteRetry(f)
		t.noteWriter(f)
		if f.Client.Session != "" {
			t.lastRun = f.Client.Session
		}
		switch t.verdict(f) {
		case shows:
			t.passed = append(t.passed, f)
			added++
		case hides:
			t.hidden = append(t.hidden, f.Seq)
		}
	}
	trimmed := t.trim()
	t.stale = t.stale || added > 0 || trimmed
	t.refresh()
	if t.follow {
		t.toNewest()
	} else {
		t.newer += added
	}
}

// refresh makes the rows anew if they are stale. Sorting, and folding the runs of a large log, take a while, and are
// done once a second; until then new rows stand unsorted at the end, or wait.
func (t *traffic) refresh() {
	rested := t.u.o.Now().Sub(t.sorted) >= time.Second
	switch {
	case !t.stale:
	case t.sort != byTime && rested:
		t.resort()
	case !t.runs.on || len(t.passed) <= inline || rested:
		t.arrange()
		t.stale = t.sort != byTime
	}
}

// A verdict says what becomes of a record in the list.
type verdict int

const (
	refuses verdict = iota // the filter does not let it through
	hides                  // it would pass, but is one of Kubarium's own
	shows
)

// verdict decides about f. Kubarium's own requests are shown only where that was chosen, or to a filter that asks for
// their sender: a reader's first screen is to show the reader's own kubectl.
func (t *traffic) verdict(f *flow.Flow) verdict {
	switch {
	case !t.match.Match(f):
		return refuses
	case f.Client.Own() && !t.own && !t.match.Seeks(f):
		return hides
	}
	return shows
}

// trim lets go of records that the log has let go of, but for the selected and the marked ones. It reports whether
// there were any.
func (t *traffic) trim() bool {
	held := &t.u.stats
	t.hidden = t.hidden[sort.Search(len(t.hidden), func(i int) bool { return t.hidden[i] >= held.OldestOwn }):]
	keep := func(f *flow.Flow) bool { return held.Holds(f) || f == t.u.sel || t.u.marked(f) }
	if ownGone := held.EvictedOwn > t.ownGone; t.sort != byTime || ownGone && (t.own || t.match != nil) {
		t.ownGone = held.EvictedOwn
		before := len(t.passed)
		t.passed = slices.DeleteFunc(t.passed, func(f *flow.Flow) bool { return !keep(f) })
		return len(t.passed) < before
	}
	n := sort.Search(len(t.passed), func(i int) bool { return t.passed[i].Seq >= held.Oldest })
	var kept []*flow.Flow
	for _, f := range t.passed[:n] {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	gone := n - len(kept)
	if gone <= 0 {
		return false
	}
	copy(t.passed[gone:n], kept)
	clear(t.passed[:gone])
	t.passed = t.passed[gone:]
	if cap(t.passed) > 2*len(t.passed)+1024 {
		t.passed = slices.Clone(t.passed)
	}
	return true
}

// arrange makes the rows anew from what has passed. The selected record stays where it is on the screen.
func (t *traffic) arrange() {
	from := t.cursor - t.top
	if t.sort == byTime {
		t.sorted = t.u.o.Now()
	}
	t.stale = false
	t.rows = t.runs.fold(t.passed)
	t.relocate()
	t.top = max(0, t.cursor-from)
	t.u.dirty = true
}

// nextSort sorts by the next order.
func (t *traffic) nextSort() {
	t.sort = (t.sort + 1) % orders
	t.resort()
	t.u.say("sorted by %s, largest last", t.sort)
}

func (t *traffic) resort() {
	t.sorted = t.u.o.Now()
	slices.SortStableFunc(t.passed, func(a, b *flow.Flow) int {
		return cmp.Or(t.sort.compare(a, b), cmp.Compare(a.Seq, b.Seq))
	})
	t.arrange()
	if t.follow {
		t.toNewest()
	}
}

func (o order) compare(a, b *flow.Flow) int {
	switch o {
	case byDuration:
		return cmp.Compare(a.Duration, b.Duration)
	case byCode:
		return cmp.Compare(a.Status, b.Status)
	case byTarget:
		return strings.Compare(targetText(a), targetText(b))
	case byWho:
		return strings.Compare(a.Client.Tag, b.Client.Tag)
	}
	return 0
}
