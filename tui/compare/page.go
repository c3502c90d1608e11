// Package compare is the page of two runs side by side, with the first request where they part.
package compare

import (
	"fmt"

	"kubarium/analysis/compare"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/inspect"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of two runs: A is the one that all other pages show, B the other.
type Page struct {
	env      *page.Env
	a, b     side
	compared *compare.Comparison // nil until it is there
	working  bool
	asked    [2]uint64 // the flows that were published when it was begun
	rows     []int     // those of compared that the filter lets through
	cursor   term.List[ident]
	placed   bool // the cursor has been where the runs part
	sheet    page.Sheet
	made     madeRow

	cursorHead int // lines above the first row, as drawn
}

// A side is one of the runs.
type side struct {
	letter, name string
	env          *page.Env
	tells        *inspect.Inspector
}

// An ident is a row from one comparison to the next.
type ident struct{ left, right uint64 }

// New makes the page of the run that u shows and another one, which has an environment of its own.
func New(u, other *page.Env, name, otherName string) *Page {
	none := func() []page.Binding { return nil }
	x := &Page{env: u, a: side{"A", name, u, inspect.New(u, none)}, b: side{"B", otherName, other, inspect.New(other, none)}}
	x.sheet = page.Sheet{Title: "request in both runs", Words: x.Legend, Bound: x.Keys}
	return x
}

func (x *Page) Name() string       { return "two runs" }
func (x *Page) Height() int        { return x.cursor.Height() }
func (x *Page) Panes() []page.Pane { return []page.Pane{x, &x.sheet} }
func (x *Page) Form() page.Form    { return page.Form{Stacked: true, Beside: 170, Two: 62} }
func (x *Page) Restless() bool     { return false }

// Opened compares what there is now.
func (x *Page) Opened() { x.compare() }

// Fold compares anew what is looked at, once that is no longer all.
func (x *Page) Fold([]*flow.Flow) {
	if x.env.Front == page.Compare {
		x.compare()
	}
}

// compare compares the runs off the loop, unless that has been done.
func (x *Page) compare() {
	if x.working || !x.stale() {
		return
	}
	x.working = true
	run := runs(x.a.env.Log, x.b.env.Log)
	x.env.Do(page.Work{Run: func() func() {
		c := run()
		return func() { x.take(c) }
	}})
}

// now compares at once, for plain mode.
func (x *Page) now() {
	if x.stale() {
		x.take(runs(x.a.env.Log, x.b.env.Log)())
	}
}

// stale reports whether there is more to compare than has been, and takes it that this is done now.
func (x *Page) stale() bool {
	now := [2]uint64{x.a.env.Log.Stats().Published, x.b.env.Log.Stats().Published}
	if x.compared != nil && now == x.asked {
		return false
	}
	x.asked = now
	return true
}

func runs(a, b *flow.Log) func() *compare.Comparison {
	return func() *compare.Comparison {
		left, _ := a.Since(0, 0)
		right, _ := b.Since(0, 0)
		return compare.Runs(left, right, compare.Options{})
	}
}

// take shows a comparison. What stories are told by is learned of B as well, of which no other page takes the flows.
func (x *Page) take(c *compare.Comparison) {
	b := x.b.env
	flows, _ := b.Log.Since(b.Seq, 0)
	b.Feed.Fold(flows)
	if n := len(flows); n > 0 {
		b.Seq = flows[n-1].Seq
	}
	x.compared, x.working, x.made = c, false, madeRow{}
	x.Refilter()
}

// Refilter lists the rows of which the filter lets a request through. At first the cursor is where the runs part.
func (x *Page) Refilter() {
	x.rows = x.rows[:0]
	if x.compared == nil {
		return
	}
	parted := -1
	for i := range x.compared.Rows {
		r := &x.compared.Rows[i]
		if !x.shows(r.Left) && !x.shows(r.Right) {
			continue
		}
		if x.compared.Parted != nil && x.compared.Parted.Row == i {
			parted = len(x.rows)
		}
		x.rows = append(x.rows, i)
	}
	x.cursor.Keep(len(x.rows), func(i int) ident { return identOf(x.row(i)) })
	if !x.placed && parted >= 0 {
		x.placed = x.cursor.Point(parted)
	}
}

func (x *Page) shows(f *flow.Flow) bool { return f != nil && x.env.Feed.Verdict(f) == feed.Shows }

func (x *Page) row(i int) *compare.Row { return &x.compared.Rows[x.rows[i]] }

func identOf(r *compare.Row) (id ident) {
	if r.Left != nil {
		id.left = r.Left.Seq
	}
	if r.Right != nil {
		id.right = r.Right.Seq
	}
	return id
}

func (x *Page) selected() *compare.Row {
	i := x.cursor.At()
	if i < 0 {
		return nil
	}
	return x.row(i)
}

func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "= Compare", Short: "=Cmp", Help: fmt.Sprintf("Compare: this run and %s side by side, and where they part", x.b.name)}
	if n := x.differences(); n > 0 {
		t.Badge = "≠" + term.Count(n)
	}
	return t
}

// differences is how many rows differ by more than timing, of all.
func (x *Page) differences() (n int) {
	if x.compared == nil {
		return 0
	}
	for i := range x.compared.Rows {
		n += term.Pick(x.compared.Rows[i].Hard(), 1, 0)
	}
	return n
}

func (x *Page) Count() page.Count {
	c := page.Count{What: "row", Shown: len(x.rows)}
	if x.compared != nil {
		c.All = len(x.compared.Rows)
	}
	return c
}

// Move selects another row.
func (x *Page) Move(n int) { x.share(x.cursor.Move(n)) }

// End selects the first row, or the last.
func (x *Page) End(bottom bool) { x.share(x.cursor.End(bottom)) }

// Click puts the cursor on a row.
func (x *Page) Click(i, _, y int) {
	if i == 1 {
		x.sheet.Click(y)
		return
	}
	x.share(x.cursor.Click(y - x.cursorHead))
}

// share makes the request that a row has in A the selected one on every screen.
func (x *Page) share(chosen bool) {
	if chosen {
		x.env.Choose(x.Chosen())
	}
}

// Chosen is the request that the row has in A, for the keys that work on a request; nil if it has none there.
func (x *Page) Chosen() *flow.Flow {
	if r := x.selected(); r != nil {
		return r.Left
	}
	return nil
}
