// Package conflicts is the page of writes that met another one: every 409 by its kind, and overwrites that nothing refused. Beside them,
// and counted apart, are the requests that a guard refused.
package conflicts

import (
	"slices"

	"kubarium/analysis/conflict"
	"kubarium/analysis/guard"
	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A Row is a write that met another one, or a request that a guard refused.
type Row struct {
	conflict.Clash                // its Kind names the guard, if one refused
	Guard          *guard.Refusal // nil for a clash
}

// judge says what row a request has, if it has one.
func (x *Page) judge(f *flow.Flow) (Row, bool) {
	if g, ok := guard.Refused(f); ok {
		return Row{conflict.Clash{Flow: f, Kind: "✗ " + g.Guard}, &g}, true
	}
	c, ok := conflict.Judge(f, x.lineages)
	return Row{Clash: c}, ok
}

// Page is the screen of writes that met somebody else's: every 409 by its kind, and the writes that no check
// stopped although they undid or took over what another client had written.
type Page struct {
	env    *page.Env
	all    []Row
	List   []*Row            // what the filter lets through
	cursor term.List[uint64] // by the Seq of their requests
	seen   uint64            // the newest clash that was on the screen
	forced bool              // the matrix is shown as it would be after force
	sheet  page.Sheet
	made   madeClash

	lineages *lineage.Log
}

// keepClashes bounds the list.
const keepClashes = 2000

// New makes the page; it follows the newest conflict.
func New(u *page.Env) *Page {
	x := &Page{env: u, cursor: term.Tailing[uint64](), lineages: lineage.New(u.Log.Get)}
	x.sheet = page.Sheet{Title: "conflict", Words: x.Legend, Bound: x.Keys}
	return x
}

// In is the page at another moment.
func (x *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor, p.forced, p.seen = x.cursor.Emptied(), x.forced, x.seen
	p.sheet.Stand(&x.sheet)
	return p
}

func (x *Page) Name() string       { return "conflicts" }
func (x *Page) Height() int        { return x.cursor.Height() }
func (x *Page) Panes() []page.Pane { return []page.Pane{x, &x.sheet} }
func (x *Page) Form() page.Form    { return page.Form{Stacked: true, Beside: 180, Two: 52} }
func (x *Page) Restless() bool     { return false }

// Fold adds what clashed, and lets go of what the log has let go of.
func (x *Page) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if r, ok := x.judge(f); ok {
			x.all = append(x.all, r)
		}
		x.lineages.Note(f)
	}
	stale := len(x.all) - keepClashes
	x.all = slices.DeleteFunc(x.all, func(r Row) bool {
		stale--
		return r.Flow.Seq != x.cursor.Key && (stale >= 0 || !x.env.Stats.Holds(r.Flow))
	})
	x.Refilter()
}

// Refilter lists what the filter lets through and keeps the cursor on its clash.
func (x *Page) Refilter() {
	x.List = x.List[:0]
	for i := range x.all {
		if x.env.Feed.Verdict(x.all[i].Flow) == feed.Shows && x.env.InScope(page.SubjectOf(x.all[i].Flow)) {
			x.List = append(x.List, &x.all[i])
		}
	}
	x.cursor.Keep(len(x.List), func(i int) uint64 { return x.List[i].Flow.Seq })
}

func (x *Page) selected() *Row {
	i := x.cursor.At()
	if i < 0 {
		return nil
	}
	return x.List[i]
}

// A tally counts rows: writes refused with a 409, those that nothing refused, and what guards refused.
type tally struct{ conflicts, overwrites, guards int }

// count counts the rows that came behind a request.
func (x *Page) count(behind uint64) (n tally) {
	for _, r := range x.List {
		switch {
		case r.Flow.Seq <= behind:
		case r.Guard != nil:
			n.guards++
		case r.Flow.Status == 409:
			n.conflicts++
		default:
			n.overwrites++
		}
	}
	return n
}

// Tab has the refusals that came since the screen was last looked at.
func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "5 Conflicts", Short: "5Confl", Help: "Conflicts: writes refused with 409, overwrites that nothing refused, and what guards refused"}
	n := x.count(x.seen)
	if n.conflicts > 0 {
		t.Badge = "!" + term.Count(n.conflicts)
	}
	if n.guards > 0 {
		t.Badge += "✗" + term.Count(n.guards)
	}
	return t
}

func (x *Page) Count() page.Count {
	return page.Count{What: "conflict", Shown: len(x.List), All: len(x.all)}
}

// Move selects another clash, on every screen.
func (x *Page) Move(n int) { x.share(x.cursor.Move(n)) }

// End selects the oldest clash, or follows the newest.
func (x *Page) End(bottom bool) { x.share(x.cursor.End(bottom)) }

// Click puts the cursor on a row.
func (x *Page) Click(i, _, y int) {
	if i == 1 {
		x.sheet.Click(y)
		return
	}
	x.share(x.cursor.Click(y - 1))
}

// share makes the request of a row that was chosen the selected one on every screen.
func (x *Page) share(chosen bool) {
	if chosen {
		x.env.Choose(x.Chosen())
	}
}

// Chosen is the request of the row, for the keys that work on a request.
func (x *Page) Chosen() *flow.Flow {
	if c := x.selected(); c != nil {
		return c.Flow
	}
	return nil
}

// madeClash is all that the lines of the sheet depend on.
type madeClash struct {
	seq    uint64
	width  int
	forced bool
	plain  bool
}
