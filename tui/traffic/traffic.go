// Package traffic is the page of requests: their list, the selected one, and its object or the loaded lesson.
package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/inspect"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// Page is the list of requests: those that the filter lets through, in the order of sort, oldest first.
type Page struct {
	env    *page.Env
	Passed []*flow.Flow      // what the filter lets through
	Rows   []*flow.Flow      // what is listed: passed, with folded kubectl runs as their first request alone
	cursor term.List[uint64] // its row is found by the selected record, and it follows as all pages do
	newer  int               // rows that came since the selection was pinned

	sort   order
	sorted time.Time // when rows were last sorted or folded
	stale  bool      // rows lack some of Passed, or are not in order
	clock  clock

	works  bool     // whether a controller of Kubarium's has taken a step of a workload
	hidden []uint64 // Seq of its own requests that are not shown and would pass the filter
	gone   uint64   // how many had aged out when Passed was last looked through for them

	yielded uint64    // the same of those that age out before others
	swept   time.Time // when Passed was last looked through for these
	runs    runs
	ended   ended

	generation int // of the filter; an answer for an older one is dropped
	Inspector  *inspect.Inspector
	beside     beside

	openWatches bool // a visible row counts the events of an open watch
	heldRows    []heldRow
}

// New makes the page.
func New(u *page.Env) *Page {
	t := &Page{env: u, runs: newRuns(false, map[string]bool{})}
	t.Inspector = inspect.New(u, t.keysOfPage)
	t.beside.t = t
	t.cursor.Newest = t.newest
	u.OnSelect = append(u.OnSelect, t.Inspector.Rewind)
	u.OnCall = append(u.OnCall, t.Inspector.Rewind)
	u.OnSelect = append(u.OnSelect, t.relocate)
	return t
}

// In is the page at another moment.
func (t *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor, p.sort, p.clock = t.cursor.Emptied(), t.sort, t.clock
	p.cursor.Newest = p.newest
	p.runs = newRuns(t.runs.off, t.runs.open)
	p.Inspector.Stand(t.Inspector)
	p.beside.Viewport = t.beside.Viewport
	return p
}

// Panes are the list, the inspector, and the object or the lesson.
func (t *Page) Panes() []page.Pane { return []page.Pane{t, t.Inspector, &t.beside} }

func (t *Page) Form() page.Form { return page.Form{Two: 57, Three: [2]int{43, 33}} }

func (t *Page) Tab() page.Tab {
	return page.Tab{Name: "1 Traffic", Short: "1Traffic", Help: "Traffic: every request, and details of one"}
}

func (t *Page) Count() page.Count {
	return page.Count{What: "request", Shown: len(t.Passed), All: max(t.env.Stats.Flows-len(t.ended.openings), len(t.Passed)), Newer: t.newer, Own: len(t.hidden)}
}

func (t *Page) Refilter() {}

func (t *Page) Restless() bool { return t.openWatches || t.stale }

func (t *Page) Legend() []string { return story.Explain("traffic") }

func (t *Page) Title(i int) (title, note term.Line) {
	f, st := t.env.Sel, t.env.TitleStyle(i)
	switch {
	case i == 0:
		return term.Text(st, t.env.T("requests")), term.Text(term.Dim, "sort "+t.sort.String()+" · group "+term.Pick(t.runs.off, "off", "on"))
	case i == 2:
		return term.Text(st, t.env.T(term.Pick(t.env.LessonText != nil, "lesson", "object"))), nil
	case f == nil:
		return term.Text(st, t.env.T("inspector")), nil
	}
	if c, n := t.env.Call(); c != nil {
		codeStyle, code := label.Code(c.Flow)
		return term.Line{st.Of(fmt.Sprintf("#%d ", f.Seq)), term.Accent.Of(story.CallTitle(c) + " "), codeStyle.Of(code)},
			term.Text(term.Dim, fmt.Sprintf("call %d of %d", n, len(t.env.Calls())))
	}
	codeStyle, code := label.Code(f)
	title = term.Line{st.Of(fmt.Sprintf("#%d ", f.Seq)), term.Accent.Of(f.Client.Tag + " "), term.Plain.Of(f.Method + " " + label.Target(f) + label.Where(f.Target) + " → "), codeStyle.Of(code)}
	if f.Reason != "" {
		title = append(title, codeStyle.Of(" "+f.Reason))
	}
	return title, nil
}

// Draw shows the list, the inspector, or the third pane.
func (t *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	switch i {
	case 0:
		t.drawList(c, r)
	case 1:
		t.Inspector.DrawIn(c, r)
	case 2:
		t.beside.drawIn(c, r)
	}
}

// Click selects a row, or a tab of the inspector.
func (t *Page) Click(i, x, y int) {
	switch {
	case i == 0 && t.clickHeld(y):
	case i == 0:
		t.choose(t.cursor.Click(y - 1))
	case i == 1 && y == 0:
		t.Inspector.ClickTab(x)
	case i == 1:
		t.Inspector.ClickLine(y)
	}
}

// Name is how help and explain call the list.
func (t *Page) Name() string { return "traffic" }

// Height is how many rows are visible.
func (t *Page) Height() int { return t.cursor.Height() }

// An order is what the list is sorted by.
type order int

const (
	byStart order = iota
	byDuration
	byCode
	byTarget
	byWho
	Orders // how many there are
)

func (o order) String() string { return [...]string{"start", "duration", "code", "target", "who"}[o] }

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

// heading is that of the column of times.
func (c clock) heading() string { return [...]string{"+s", "time", "step s"}[c] }

// Fold adds new records.
func (t *Page) Fold(flows []*flow.Flow) {
	added, before := 0, len(t.Passed)
	for _, f := range flows {
		switch t.env.Feed.Verdict(f) {
		case feed.Shows:
			t.Passed = append(t.Passed, f)
			t.works = t.works || f.Works()
			added++
		case feed.Hides:
			t.hidden = append(t.hidden, f.Seq)
		}
	}
	grown := t.sort == byStart && !t.runs.off
	rows, inRuns := len(t.Rows), false
	if grown {
		t.Rows, inRuns = t.runs.more(t.Rows, t.Passed[before:])
		t.place()
	}
	t.Passed = t.ended.fold(t.Passed, before)
	ended := len(t.Passed) < before+added
	moved := t.sort == byStart && placeByStart(t.Passed, added)
	if moved && grown && !inRuns {
		placeByStart(t.Rows, len(t.Rows)-rows)
		t.place()
		moved = false
	}
	if now := t.listed(t.env.Sel); now != t.env.Sel {
		t.env.SelectFlow(now)
		t.stale = true
	}
	trimmed := t.trim()
	t.stale = t.stale || added > 0 && !grown || ended || moved || trimmed
	t.refresh()
	switch {
	case t.env.Follow, t.env.Moment != nil && t.env.Sel == nil: // what was selected had not come yet
		t.toNewest()
	case t.env.Moment == nil:
		t.newer += added
	}
}

// refresh makes the rows again if they are stale. Sorting, and folding the runs of a large log, take a while, and are
// done once a second; until then new rows are at the end.
func (t *Page) refresh() {
	rested := t.env.Clock().Sub(t.sorted) >= time.Second
	switch {
	case !t.stale:
	case t.sort != byStart && rested:
		t.resort()
	case t.runs.off || len(t.Passed) <= Inline || rested:
		t.arrange()
		t.stale = t.sort != byStart
	}
}

// trim drops records that the log has dropped, except for the selected and the marked ones. It reports whether the rows
// must be made again for that. Those that age out before others may be anywhere in a large list: it is looked through for them once
// a second.
func (t *Page) trim() bool {
	held := &t.env.Stats
	yielded := held.EvictedOwn + held.EvictedRepeated
	if held.Evicted == t.gone && yielded == t.yielded {
		return false
	}
	t.gone = held.Evicted
	t.hidden = t.hidden[sort.Search(len(t.hidden), func(i int) bool { return t.hidden[i] >= held.OldestOwn }):]
	t.ended.trim(min(held.Oldest, held.OldestOwn))
	before, oldest := len(t.Passed), []uint64{held.Oldest}
	if yielded > t.yielded && (before <= Inline || t.env.Clock().Sub(t.swept) >= time.Second) {
		t.yielded, t.swept = yielded, t.env.Clock()
		oldest = append(oldest, held.OldestOwn, held.OldestRepeated)
	}
	end, known := t.endOf(oldest)
	var gone func(f *flow.Flow) bool
	trim := func(all []*flow.Flow) []*flow.Flow {
		n := len(all)
		if known {
			n = sort.Search(n, func(i int) bool { return all[i].Start.After(end) })
		}
		return slices.Delete(all, len(slices.DeleteFunc(all[:n], gone)), n)
	}
	inRuns := false
	gone = func(f *flow.Flow) bool {
		goes := !held.Holds(f) && f != t.env.Sel && !t.env.Marked(f)
		inRuns = inRuns || goes && t.runs.find(f) != nil
		return goes
	}
	t.Passed = trim(t.Passed)
	if t.sort != byStart || t.runs.off || inRuns {
		return len(t.Passed) < before
	}
	rows := len(t.Rows)
	if t.Rows = trim(t.Rows); len(t.Rows) < rows {
		t.place()
	}
	return false
}

// endOf is when the last of these records had ended. Records age out in the order of their ends, so where these are the
// oldest that are kept, one that started later is kept, and in the order of starts so are those after it. known is false
// if nothing can be said of them.
func (t *Page) endOf(oldest []uint64) (end time.Time, known bool) {
	for _, seq := range oldest {
		f := t.env.Log.Get(seq)
		if f == nil || t.sort != byStart {
			return end, false
		}
		if e := f.Start.Add(f.Duration); e.After(end) {
			end = e
		}
	}
	return end, true
}

// arrange makes the rows again from what has passed. The selected record stays where it is on the screen.
func (t *Page) arrange() {
	if t.sort == byStart {
		t.sorted = t.env.Clock()
	}
	t.stale = false
	t.Rows = t.runs.fold(t.Passed)
	t.place()
}

// place puts the cursor on the row of the selected record, or the newest one.
func (t *Page) place() {
	t.cursor.Follow = t.env.Follow
	t.cursor.Place(len(t.Rows), t.line(t.env.Sel))
	t.env.Dirty = true
}

// nextSort sorts by the next order.
func (t *Page) nextSort() {
	t.sort = (t.sort + 1) % Orders
	t.resort()
	t.env.Say("sorted by %s, largest last", t.sort)
}

func (t *Page) resort() {
	t.sorted = t.env.Clock()
	slices.SortStableFunc(t.Passed, func(a, b *flow.Flow) int {
		return cmp.Or(t.sort.compare(a, b), cmp.Compare(a.Seq, b.Seq))
	})
	if t.sort == byStart {
		placeByStart(t.Passed, len(t.Passed))
	}
	t.arrange()
	if t.env.Follow {
		t.toNewest()
	}
}

// placeByStart puts the last n records, which came in the order of their ends, in the order of their starts. A record
// goes before another only if it had not ended before that one did: otherwise the clock was set back between them. It
// reports whether the order has changed.
func placeByStart(all []*flow.Flow, n int) (moved bool) {
	end := func(f *flow.Flow) time.Time { return f.Start.Add(f.Duration) }
	for i := max(1, len(all)-n); i < len(all); i++ {
		f, at := all[i], i
		for at > 0 && f.Start.Before(all[at-1].Start) && end(f).After(end(all[at-1]).Add(-time.Second)) {
			at--
		}
		copy(all[at+1:i+1], all[at:i])
		all[at] = f
		moved = moved || at < i
	}
	return moved
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
