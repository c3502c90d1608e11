// Package compare is the page of two runs side by side, with the first request where they part.
package compare

import (
	"kubarium/analysis/compare"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/inspect"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of two runs: A is the one that all other pages show, B the other.
type Page struct {
	page.List[compare.Row, ident]
	a, b     side
	compared *compare.Comparison // nil until it is there
	working  bool
	asked    [2]uint64 // the flows that were published when it was begun
	placed   bool      // the cursor has been where the runs part
}

// A side is one of the runs.
type side struct {
	letter, name string
	env          *page.Env
	tells        *inspect.Inspector
}

// An ident is a row from one comparison to the next.
type ident struct{ left, right uint64 }

// New makes the page of the run that e shows and another one, which has an environment of its own.
func New(e, other *page.Env, name, otherName string) *Page {
	none := func() []page.Binding { return nil }
	x := &Page{a: side{"A", name, e, inspect.New(e, none)}, b: side{"B", otherName, other, inspect.New(other, none)}}
	x.List = page.NewList(e, page.ListSpec[compare.Row, ident]{
		Name: "two runs", Row: "row", Sheet: "request in both runs",
		Form: page.Form{Stacked: true, Beside: 170, Two: 62}, Legend: x.legend(), Keys: x.Keys,
		Key:     identOf,
		Request: func(r *compare.Row) *flow.Flow { return r.Left }, // the other pages know nothing of B
		All:     func() int { return len(x.all()) },
		Note:    x.note, Above: x.above, Columns: x.columns, Notice: x.notice, Heading: x.heading, Detail: x.detail,
		Depends: func(*compare.Row) any { return x.compared },
		Word:    "compare", Sentence: sentence, Nothing: func() string { return x.notice(0)[0].String() },
		Update: x.now,
	})
	return x
}

// Opened compares what there is now.
func (x *Page) Opened() { x.compare() }

// Fold compares the runs again while the page is at the front and one of them goes on.
func (x *Page) Fold([]*flow.Flow) {
	if x.Env.Front == page.Compare {
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
	x.Env.Do(page.Work{Run: func() func() {
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

// take shows a comparison. It also folds the flows of B into its feed, from which stories are made: no other page does
// that.
func (x *Page) take(c *compare.Comparison) {
	b := x.b.env
	flows, _ := b.Log.Since(b.Seq, 0)
	b.Feed.Fold(flows)
	if n := len(flows); n > 0 {
		b.Seq = flows[n-1].Seq
	}
	x.compared, x.working = c, false
	x.Refilter()
}

// all are the rows of the comparison, as far as there is one.
func (x *Page) all() []compare.Row {
	if x.compared == nil {
		return nil
	}
	return x.compared.Rows
}

// Refilter lists the rows of which the filter lets a request through. At first the cursor is where the runs part.
func (x *Page) Refilter() {
	rows, parted := x.Rows[:0], -1
	for i := range x.all() {
		r := &x.compared.Rows[i]
		if !x.shows(r.Left) && !x.shows(r.Right) {
			continue
		}
		if x.compared.Parted != nil && x.compared.Parted.Row == i {
			parted = len(rows)
		}
		rows = append(rows, r)
	}
	x.Set(rows)
	if !x.placed && parted >= 0 {
		x.placed = x.Cursor.Point(parted)
	}
}

func (x *Page) shows(f *flow.Flow) bool { return f != nil && x.Env.Feed.Verdict(f) == feed.Shows }

func identOf(r *compare.Row) (id ident) {
	if r.Left != nil {
		id.left = r.Left.Seq
	}
	if r.Right != nil {
		id.right = r.Right.Seq
	}
	return id
}

func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "= Compare", Short: "=Cmp", Help: x.Env.F("Compare: this run and %s side by side, and where they part", x.b.name)}
	if n := x.differences(); n > 0 {
		t.Badge = "≠" + term.Count(n)
		t.Means = t.Badge + ": so many requests differ between the runs, by more than timing."
	}
	return t
}

// differences is how many rows differ by more than timing, of all.
func (x *Page) differences() (n int) {
	for i := range x.all() {
		n += term.Pick(x.compared.Rows[i].Hard(), 1, 0)
	}
	return n
}

// Whose is the client of the request in run A, of which the other pages are.
func (x *Page) Whose() (tag, why string) {
	switch r := x.Selected(); {
	case r == nil:
		return "", x.Env.T("there is no request under the cursor")
	case r.Left == nil:
		return "", x.Env.T("this request is in run B only, of which the other pages know nothing")
	default:
		return r.Left.Client.Tag, ""
	}
}
