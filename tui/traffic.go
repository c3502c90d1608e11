package tui

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"kubarium/server/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// traffic is the list of requests: those that the filter lets through, in the order of sort, oldest first.
type traffic struct {
	u      *env
	passed []*flow.Flow // what the filter lets through
	rows   []*flow.Flow // what is listed: passed, with folded kubectl runs as their first request alone
	cursor int          // index into rows
	top    int          // first visible row
	tall   int          // visible rows
	newer  int          // rows that came since the selection was pinned

	sort   order
	sorted time.Time // when rows were last sorted or folded
	stale  bool      // rows do not show all that has passed, or not in its order
	clock  clock

	hidden []uint64 // Seq of its own requests that are not shown and would pass the filter
	runs   runs

	generation int // of the filter; an answer for an older one is dropped
	inspector  inspector
	beside     beside

	openWatches bool // a visible row counts the events of an open watch
}

func newTraffic(u *env) *traffic {
	t := &traffic{u: u}
	t.inspector = inspector{u: u, more: t.keysOfPage}
	t.beside.t = t
	u.onSelect = append(u.onSelect, t.inspector.rewind)
	u.onSelect = append(u.onSelect, t.relocate)
	return t
}

// panes are the list, the inspector, and the object or the lesson.
func (t *traffic) panes() []pane { return []pane{t, &t.inspector, &t.beside} }

func (t *traffic) form() form { return form{two: 57, three: [2]int{43, 33}} }

func (t *traffic) tab() tabLabel {
	return tabLabel{name: "1 Traffic", short: "1Traffic", help: "Traffic: every request, and one from all sides"}
}

func (t *traffic) count() rowCount {
	return rowCount{what: "request", shown: len(t.passed), all: max(t.u.stats.Flows, len(t.passed)), newer: t.newer, own: len(t.hidden)}
}

func (t *traffic) refilter() {}

func (t *traffic) restless() bool { return t.openWatches || t.stale }

func (t *traffic) legend() []string { return story.Explain("traffic") }

func (t *traffic) title(i int) (title, note term.Line) {
	f, st := t.u.sel, t.u.titleStyle(i)
	switch {
	case i == 0:
		return term.Text(st, "requests"), term.Text(term.Dim, "sort "+t.sort.String()+" · group "+term.Pick(t.runs.on, "on", "off"))
	case i == 2:
		return term.Text(st, term.Pick(t.u.lessonText != nil, "lesson", "object")), nil
	case f == nil:
		return term.Text(st, "inspector"), nil
	}
	codeStyle, code := label.Code(f)
	title = term.Line{st.Of(fmt.Sprintf("#%d ", f.Seq)), term.Accent.Of(f.Client.Tag + " "), term.Plain.Of(f.Method + " " + label.Target(f) + " → "), codeStyle.Of(code)}
	if f.Reason != "" {
		title = append(title, codeStyle.Of(" "+f.Reason))
	}
	return title, nil
}

// draw shows the list, the inspector, or what stands beside it.
func (t *traffic) draw(c *term.Canvas, i int, r term.Rect) {
	switch i {
	case 0:
		t.drawList(c, r)
	case 1:
		t.inspector.drawIn(c, r)
	case 2:
		t.beside.drawIn(c, r)
	}
}

// click selects a row, or a tab of the inspector.
func (t *traffic) click(i, x, y int) {
	switch at := t.top + y - 1; {
	case i == 0 && y > 0 && at < len(t.rows):
		t.jumpTo(t.rows[at])
	case i == 1 && y == 0:
		t.inspector.clickTab(x)
	}
}

func (t *traffic) name() string { return "traffic" }
func (t *traffic) Height() int  { return max(1, t.tall) }

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
		switch t.u.feed.Verdict(f) {
		case feed.Shows:
			t.passed = append(t.passed, f)
			added++
		case feed.Hides:
			t.hidden = append(t.hidden, f.Seq)
		}
	}
	trimmed := t.trim()
	t.stale = t.stale || added > 0 || trimmed
	t.refresh()
	if t.u.follow {
		t.toNewest()
	} else {
		t.newer += added
	}
}

// refresh makes the rows anew if they are stale. Sorting, and folding the runs of a large log, take a while, and are
// done once a second; until then new rows stand unsorted at the end, or wait.
func (t *traffic) refresh() {
	rested := t.u.now().Sub(t.sorted) >= time.Second
	switch {
	case !t.stale:
	case t.sort != byTime && rested:
		t.resort()
	case !t.runs.on || len(t.passed) <= inline || rested:
		t.arrange()
		t.stale = t.sort != byTime
	}
}

// trim lets go of records that the log has let go of, but for the selected and the marked ones. It reports whether
// there were any.
func (t *traffic) trim() bool {
	oldest := t.u.stats.Published - uint64(t.u.stats.Flows) + 1
	t.hidden = t.hidden[sort.Search(len(t.hidden), func(i int) bool { return t.hidden[i] >= oldest }):]
	keep := func(f *flow.Flow) bool { return f.Seq >= oldest || f == t.u.sel || t.u.marked(f) }
	if t.sort != byTime {
		before := len(t.passed)
		t.passed = slices.DeleteFunc(t.passed, func(f *flow.Flow) bool { return !keep(f) })
		return len(t.passed) < before
	}
	n := sort.Search(len(t.passed), func(i int) bool { return t.passed[i].Seq >= oldest })
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
		t.sorted = t.u.now()
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
	t.u.Say("sorted by %s, largest last", t.sort)
}

func (t *traffic) resort() {
	t.sorted = t.u.now()
	slices.SortStableFunc(t.passed, func(a, b *flow.Flow) int {
		return cmp.Or(t.sort.compare(a, b), cmp.Compare(a.Seq, b.Seq))
	})
	t.arrange()
	if t.u.follow {
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
		return strings.Compare(label.Target(a), label.Target(b))
	case byWho:
		return strings.Compare(a.Client.Tag, b.Client.Tag)
	}
	return 0
}
