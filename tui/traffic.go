package tui

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/tui/filter"
)

// traffic is the list of requests: those that the filter lets through, in the order of sort, oldest first.
type traffic struct {
	u      *ui
	rows   []*flow.Flow
	cursor int // index into rows
	top    int // first visible row
	tall   int // visible rows
	follow bool
	newer  int // rows that came since the selection was pinned

	sort   order
	sorted time.Time // when rows were last put in an order other than time
	clock  clock
	first  time.Time // Start of the first flow seen, zero of the relative clock

	refused map[string]uint64 // seq of the last refused write, by who, verb and target
	writers map[int64]string  // who wrote a revision, for the newest ones
	retries map[uint64]uint64 // seq of a write that was tried again → seq of the refused one

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
	before := len(t.rows)
	for _, f := range flows {
		if t.first.IsZero() {
			t.first = f.Start
		}
		t.noteRetry(f)
		t.noteWriter(f)
		if f.Client.Session != "" {
			t.lastRun = f.Client.Session
		}
		if t.lets(f) {
			t.rows = append(t.rows, f)
		}
	}
	added := len(t.rows) - before
	t.trim()
	if t.sort != byTime && added > 0 && t.u.o.Now().Sub(t.sorted) >= time.Second {
		t.resort()
	}
	if t.follow {
		t.toNewest()
	} else {
		t.newer += added
	}
}

// lets reports whether the list shows f. The UI's own requests are shown only to who asks for them.
func (t *traffic) lets(f *flow.Flow) bool {
	if f.Client.Tag == "ui" {
		return t.match != nil && strings.Contains(t.match.String(), "who:ui") && t.match.Match(f)
	}
	return t.match == nil || t.match.Match(f)
}

// noteRetry remembers refused writes, so that the same client's next try at the same thing can say so.
func (t *traffic) noteRetry(f *flow.Flow) {
	if !writes(f.Target.Verb) {
		return
	}
	if len(t.refused) > 1024 {
		clear(t.refused)
	}
	if len(t.retries) > 4096 {
		clear(t.retries)
	}
	key := f.Client.Tag + " " + f.Target.Verb + " " + f.Path
	if seq, ok := t.refused[key]; ok {
		t.retries[f.Seq] = seq
		delete(t.refused, key)
	}
	if f.Status == 409 {
		t.refused[key] = f.Seq
	}
}

// noteWriter remembers who wrote which revision, so that a refused write can be told whom it met.
func (t *traffic) noteWriter(f *flow.Flow) {
	if len(t.writers) > 16384 {
		clear(t.writers)
	}
	for _, e := range f.Effects {
		t.writers[e.Commit.Revision] = f.Client.Tag
	}
}

// writes reports whether a verb changes something.
func writes(verb string) bool {
	switch verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		return true
	}
	return false
}

// trim lets go of records that the log has let go of, but for the selected and the marked ones.
func (t *traffic) trim() {
	oldest := t.u.stats.Published - uint64(t.u.stats.Flows) + 1
	keep := func(f *flow.Flow) bool { return f.Seq >= oldest || f == t.u.sel || t.u.marked(f) }
	if t.sort != byTime {
		t.rows = slices.DeleteFunc(t.rows, func(f *flow.Flow) bool { return !keep(f) })
		t.relocate()
		return
	}
	n := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].Seq >= oldest })
	var kept []*flow.Flow
	for _, f := range t.rows[:n] {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	gone := n - len(kept)
	if gone <= 0 {
		return
	}
	copy(t.rows[gone:n], kept)
	clear(t.rows[:gone])
	t.rows = t.rows[gone:]
	if cap(t.rows) > 2*len(t.rows)+1024 {
		t.rows = slices.Clone(t.rows)
	}
	t.top = max(0, t.top-gone)
	t.relocate()
}

// relocate puts the cursor back on the selected record after rows have moved.
func (t *traffic) relocate() {
	if i := t.find(t.u.sel); i >= 0 {
		t.cursor = i
	}
	t.cursor = max(0, min(t.cursor, len(t.rows)-1))
}

// find is the index of a record in rows, -1 if it is not there.
func (t *traffic) find(f *flow.Flow) int {
	if f == nil {
		return -1
	}
	if t.sort != byTime {
		return slices.Index(t.rows, f)
	}
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].Seq >= f.Seq })
	if i < len(t.rows) && t.rows[i] == f {
		return i
	}
	return -1
}

func (t *traffic) toNewest() {
	t.newer = 0
	if len(t.rows) == 0 {
		return
	}
	t.cursor = len(t.rows) - 1
	t.u.selectFlow(t.rows[t.cursor])
}

// move pins the selection and moves it.
func (t *traffic) move(lines int) {
	if len(t.rows) == 0 {
		return
	}
	if t.follow && lines > 0 {
		return
	}
	t.follow = false
	t.cursor = max(0, min(t.cursor+lines, len(t.rows)-1))
	t.u.selectFlow(t.rows[t.cursor])
	t.u.o.Log.Pin(t.u.sel.Seq)
}

// end goes to the oldest record, or to the newest and follows.
func (t *traffic) end(bottom bool) {
	if bottom {
		t.follow = true
		t.toNewest()
		return
	}
	t.move(-len(t.rows))
}

func (t *traffic) toggleFollow() {
	if t.follow {
		t.pin()
		return
	}
	t.follow = true
	t.toNewest()
}

// pin stays on the selected record, which from then on cannot age out.
func (t *traffic) pin() {
	t.follow = false
	if t.u.sel != nil {
		t.u.o.Log.Pin(t.u.sel.Seq)
	}
}

// jumpTo pins the selection on a record, if the list shows it.
func (t *traffic) jumpTo(f *flow.Flow) {
	i := t.find(f)
	if i < 0 {
		t.u.say("#%d is not in this list: the filter hides it", f.Seq)
		return
	}
	t.follow, t.cursor = false, i
	t.u.selectFlow(f)
}

// nextSort sorts by the next order.
func (t *traffic) nextSort() {
	t.sort = (t.sort + 1) % orders
	t.resort()
	t.u.say("sorted by %s, largest last", t.sort)
}

func (t *traffic) resort() {
	t.sorted = t.u.o.Now()
	slices.SortStableFunc(t.rows, func(a, b *flow.Flow) int {
		return cmp.Or(t.sort.compare(a, b), cmp.Compare(a.Seq, b.Seq))
	})
	if t.follow {
		t.toNewest()
		return
	}
	t.relocate()
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

// inline is the number of records up to which a filter runs on the loop at once.
const inline = 2000

// refilter shows what m lets through; nil is everything. Large logs are searched off the loop, meanwhile the list stays
// as it was.
func (t *traffic) refilter(m *filter.Filter) {
	t.generation++
	generation, upTo := t.generation, t.u.seq
	held, _ := t.u.o.Log.Since(0, 0)
	old := t.match
	t.match = m
	probe := &traffic{u: t.u, match: m}
	search := func() func() {
		rows := make([]*flow.Flow, 0, 256)
		for _, f := range held {
			if f.Seq > upTo {
				break
			}
			if probe.lets(f) {
				rows = append(rows, f)
			}
		}
		return func() { t.replace(generation, upTo, rows) }
	}
	if len(held) <= inline {
		search()()
		return
	}
	t.match = old
	t.u.do(workEffect{func() func() {
		done := search()
		return func() {
			if generation == t.generation {
				t.match = m
			}
			done()
		}
	}})
}

// replace takes the answer of a search: the rows up to a record, to which those folded since then are added.
func (t *traffic) replace(generation int, upTo uint64, rows []*flow.Flow) {
	if generation != t.generation {
		return
	}
	later, _ := t.u.o.Log.Since(upTo, 0)
	for _, f := range later {
		if f.Seq > t.u.seq {
			break
		}
		if t.lets(f) {
			rows = append(rows, f)
		}
	}
	t.rows, t.newer = rows, 0
	t.u.watches.fold()
	t.u.dirty = true
	if t.sort != byTime {
		t.resort()
	}
	if i := t.find(t.u.sel); i >= 0 && !t.follow {
		t.cursor = i
		return
	}
	t.cursor = max(0, len(rows)-1)
	if len(rows) > 0 {
		t.u.selectFlow(rows[t.cursor])
	} else {
		t.u.selectFlow(nil)
	}
}

// scroll keeps the cursor visible in n rows.
func (t *traffic) scroll(n int) {
	t.tall = n
	if t.follow {
		t.top = len(t.rows) - n
	}
	if t.cursor < t.top {
		t.top = t.cursor
	}
	if t.cursor >= t.top+n {
		t.top = t.cursor - n + 1
	}
	t.top = max(0, min(t.top, max(0, len(t.rows)-n)))
}
