// Package traffic is the page of requests: their list, the selected one, and its object or the loaded lesson.
package traffic

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"kubarium/server/flow"
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
	Passed []*flow.Flow // what the filter lets through
	Rows   []*flow.Flow // what is listed: passed, with folded kubectl runs as their first request alone
	Cursor int          // index into rows
	top    int          // first visible row
	tall   int          // visible rows
	newer  int          // rows that came since the selection was pinned

	Sort   order
	sorted time.Time // when rows were last sorted or folded
	Stale  bool      // rows do not show all that has passed, or not in its order
	clock  clock

	hidden []uint64 // Seq of its own requests that are not shown and would pass the filter
	runs   runs
	ended  ended

	generation int // of the filter; an answer for an older one is dropped
	Inspector  *inspect.Inspector
	beside     beside

	openWatches bool // a visible row counts the events of an open watch
}

func New(u *page.Env) *Page {
	t := &Page{env: u}
	t.Inspector = inspect.New(u, t.keysOfPage)
	t.beside.t = t
	u.OnSelect = append(u.OnSelect, t.Inspector.Rewind)
	u.OnSelect = append(u.OnSelect, t.relocate)
	return t
}

// Panes are the list, the inspector, and the object or the lesson.
func (t *Page) Panes() []page.Pane { return []page.Pane{t, t.Inspector, &t.beside} }

func (t *Page) Form() page.Form { return page.Form{Two: 57, Three: [2]int{43, 33}} }

func (t *Page) Tab() page.Tab {
	return page.Tab{Name: "1 Traffic", Short: "1Traffic", Help: "Traffic: every request, and one from all sides"}
}

func (t *Page) Count() page.Count {
	return page.Count{What: "request", Shown: len(t.Passed), All: max(t.env.Stats.Flows-len(t.ended.openings), len(t.Passed)), Newer: t.newer, Own: len(t.hidden)}
}

func (t *Page) Refilter() {}

func (t *Page) Restless() bool { return t.openWatches || t.Stale }

func (t *Page) Legend() []string { return story.Explain("traffic") }

func (t *Page) Title(i int) (title, note term.Line) {
	f, st := t.env.Sel, t.env.TitleStyle(i)
	switch {
	case i == 0:
		return term.Text(st, "requests"), term.Text(term.Dim, "sort "+t.Sort.String()+" · group "+term.Pick(t.runs.on, "on", "off"))
	case i == 2:
		return term.Text(st, term.Pick(t.env.LessonText != nil, "lesson", "object")), nil
	case f == nil:
		return term.Text(st, "inspector"), nil
	}
	codeStyle, code := label.Code(f)
	title = term.Line{st.Of(fmt.Sprintf("#%d ", f.Seq)), term.Accent.Of(f.Client.Tag + " "), term.Plain.Of(f.Method + " " + label.Target(f) + label.Where(f.Target) + " → "), codeStyle.Of(code)}
	if f.Reason != "" {
		title = append(title, codeStyle.Of(" "+f.Reason))
	}
	return title, nil
}

// Draw shows the list, the inspector, or what stands beside it.
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
	switch at := t.top + y - 1; {
	case i == 0 && y > 0 && at < len(t.Rows):
		t.JumpTo(t.Rows[at])
	case i == 1 && y == 0:
		t.Inspector.ClickTab(x)
	}
}

func (t *Page) Name() string { return "traffic" }
func (t *Page) Height() int  { return max(1, t.tall) }

// An order is what the list is sorted by.
type order int

const (
	byTime order = iota
	byDuration
	byCode
	byTarget
	byWho
	Orders
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

// Fold adds new records.
func (t *Page) Fold(flows []*flow.Flow) {
	added, before := 0, len(t.Passed)
	for _, f := range flows {
		switch t.env.Feed.Verdict(f) {
		case feed.Shows:
			t.Passed = append(t.Passed, f)
			added++
		case feed.Hides:
			t.hidden = append(t.hidden, f.Seq)
		}
	}
	t.Passed = t.ended.fold(t.Passed, before)
	if now := t.listed(t.env.Sel); now != t.env.Sel {
		t.env.SelectFlow(now)
		t.Stale = true
	}
	trimmed := t.trim()
	t.Stale = t.Stale || added > 0 || trimmed
	t.refresh()
	if t.env.Follow {
		t.toNewest()
	} else {
		t.newer += added
	}
}

// refresh makes the rows anew if they are stale. Sorting, and folding the runs of a large log, take a while, and are
// done once a second; until then new rows stand unsorted at the end, or wait.
func (t *Page) refresh() {
	rested := t.env.Now().Sub(t.sorted) >= time.Second
	switch {
	case !t.Stale:
	case t.Sort != byTime && rested:
		t.resort()
	case !t.runs.on || len(t.Passed) <= Inline || rested:
		t.arrange()
		t.Stale = t.Sort != byTime
	}
}

// trim lets go of records that the log has let go of, but for the selected and the marked ones. It reports whether
// there were any.
func (t *Page) trim() bool {
	oldest := t.env.Stats.Published - uint64(t.env.Stats.Flows) + 1
	t.hidden = t.hidden[sort.Search(len(t.hidden), func(i int) bool { return t.hidden[i] >= oldest }):]
	t.ended.trim(oldest)
	keep := func(f *flow.Flow) bool { return f.Seq >= oldest || f == t.env.Sel || t.env.Marked(f) }
	if t.Sort != byTime {
		before := len(t.Passed)
		t.Passed = slices.DeleteFunc(t.Passed, func(f *flow.Flow) bool { return !keep(f) })
		return len(t.Passed) < before
	}
	n := sort.Search(len(t.Passed), func(i int) bool { return t.Passed[i].Seq >= oldest })
	var kept []*flow.Flow
	for _, f := range t.Passed[:n] {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	gone := n - len(kept)
	if gone <= 0 {
		return false
	}
	copy(t.Passed[gone:n], kept)
	clear(t.Passed[:gone])
	t.Passed = t.Passed[gone:]
	if cap(t.Passed) > 2*len(t.Passed)+1024 {
		t.Passed = slices.Clone(t.Passed)
	}
	return true
}

// arrange makes the rows anew from what has passed. The selected record stays where it is on the screen.
func (t *Page) arrange() {
	from := t.Cursor - t.top
	if t.Sort == byTime {
		t.sorted = t.env.Now()
	}
	t.Stale = false
	t.Rows = t.runs.fold(t.Passed)
	t.relocate()
	t.top = max(0, t.Cursor-from)
	t.env.Dirty = true
}

// nextSort sorts by the next order.
func (t *Page) nextSort() {
	t.Sort = (t.Sort + 1) % Orders
	t.resort()
	t.env.Say("sorted by %s, largest last", t.Sort)
}

func (t *Page) resort() {
	t.sorted = t.env.Now()
	slices.SortStableFunc(t.Passed, func(a, b *flow.Flow) int {
		return cmp.Or(t.Sort.compare(a, b), cmp.Compare(a.Seq, b.Seq))
	})
	t.arrange()
	if t.env.Follow {
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
