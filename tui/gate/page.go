// Package gate is the page of what is done to requests on purpose: who is held at the server's gate, its rules, and what they touched.
package gate

import (
	"fmt"
	"slices"

	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of the gate.
type Page struct {
	env     *page.Env
	rows    []row
	version int // of the state that rows were made of
	cursor  term.List[key]
	sheet   page.Sheet

	touched []*flow.Flow // requests that rules acted on, oldest first
	hidden  int          // those of them that are Kubarium's own

	adding *lineEdit
	past   []string // rules that were added, newest last

	drafts map[uint64][]byte     // edited texts of those that are held
	whole  map[uint64]*rule.Held // with their texts
	asked  uint64                // whose text was asked for last
}

// A row is a line of the list: a heading, somebody who is held, a rule, or what rules touched.
type row struct {
	head  string
	held  *rule.Held
	rule  *rule.Active
	flow  *flow.Flow
	watch *flow.Watch
}

// A key is a row from one state to the next.
type key struct {
	kind byte // h, r, f, w; 0 of a heading
	id   uint64
}

func (r *row) key() key {
	switch {
	case r.held != nil:
		return key{'h', r.held.ID}
	case r.rule != nil:
		return key{'r', uint64(r.rule.ID)}
	case r.flow != nil:
		return key{'f', r.flow.Seq}
	case r.watch != nil:
		return key{'w', r.watch.ID}
	}
	return key{}
}

// New makes the page.
func New(u *page.Env) *Page {
	x := &Page{env: u, drafts: map[uint64][]byte{}, whole: map[uint64]*rule.Held{}}
	x.cursor.Skip = func(i int) bool { return x.rows[i].head != "" }
	x.sheet = page.Sheet{Title: "gate, details", Words: x.Legend, Bound: x.Keys}
	return x
}

func (x *Page) Name() string       { return "gate" }
func (x *Page) Height() int        { return x.cursor.Height() }
func (x *Page) Panes() []page.Pane { return []page.Pane{x, &x.sheet} }
func (x *Page) Form() page.Form    { return page.Form{Stacked: true, Beside: page.HugeWidth, Two: 56} }
func (x *Page) Restless() bool     { return len(x.env.Gate.Held) > 0 }

func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "9 Gate", Short: "9Gate", Help: "Gate: hold, delay and refuse requests on purpose, and let them go"}
	if n := len(x.env.Gate.Held); n > 0 {
		t.Badge = fmt.Sprintf("⏸%d", n)
	}
	return t
}

func (x *Page) Count() page.Count {
	shown := 0
	for i := range x.rows {
		shown += term.Pick(x.rows[i].flow != nil || x.rows[i].watch != nil, 1, 0)
	}
	return page.Count{What: "touched request", Shown: shown, All: max(shown, len(x.touched)-x.hidden), Own: x.hidden}
}

// keepTouched is how many of the touched requests are listed at most.
const keepTouched = 500

// Fold takes the requests that rules touched.
func (x *Page) Fold(flows []*flow.Flow) {
	for _, f := range flows {
		if len(f.Faults) > 0 || f.Phase == flow.WatchClosed && f.Watch != nil && f.Watch.State().Touched > 0 {
			x.touched = append(x.touched, f)
		}
	}
	if n := len(x.touched) - keepTouched; n > 0 {
		x.touched = slices.Clone(x.touched[n:])
	}
	x.arrange()
}

// Refilter lists the touched requests that the filter lets through.
func (x *Page) Refilter() { x.arrange() }

// Told is called when the gate has told something.
func (x *Page) Told() {
	x.arrange()
	x.ask()
}

// arrange makes the rows anew, and keeps the cursor on its row.
func (x *Page) arrange() {
	g := x.env.Gate
	rows := x.rows[:0:0]
	add := func(head string, more []row) {
		if len(more) > 0 {
			rows = append(append(rows, row{head: head}), more...)
		}
	}
	var held, rules []row
	for i := range g.Held {
		held = append(held, row{held: &g.Held[i]})
	}
	for i := range g.Rules {
		rules = append(rules, row{rule: &g.Rules[i]})
	}
	add("held", held)
	add("rules", rules)
	add("touched", x.touchedRows())
	x.rows, x.version = rows, g.Version
	x.cursor.Keep(len(rows), func(i int) key { return x.rows[i].key() })
	x.forget()
}

// touchedRows are what rules acted on, newest first: requests, and watches with events.
func (x *Page) touchedRows() []row {
	var out []row
	x.hidden = 0
	listed := map[*flow.Watch]bool{}
	for _, w := range slices.Backward(x.env.Streams.All) {
		if w.State().Touched == 0 {
			continue
		}
		listed[w] = true
		if x.env.Feed.Verdict(&flow.Flow{Phase: flow.WatchOpened, Start: w.Opened, Client: w.Client, Method: "GET", Target: w.Target, Query: w.Query, Status: 200, Watch: w}) == feed.Shows {
			out = append(out, row{watch: w})
		}
	}
	for _, f := range slices.Backward(x.touched) {
		switch v := x.env.Feed.Verdict(f); {
		case f.Watch != nil && listed[f.Watch] && len(f.Faults) == 0:
		case v == feed.Shows:
			out = append(out, row{flow: f})
		case v == feed.Hides:
			x.hidden++
		}
	}
	return out
}

// forget lets go of the texts of those that are held no more.
func (x *Page) forget() {
	for id := range x.drafts {
		if x.env.Gate.Find(id) == nil {
			delete(x.drafts, id)
		}
	}
	for id := range x.whole {
		if x.env.Gate.Find(id) == nil {
			delete(x.whole, id)
		}
	}
}

// selected is the row under the cursor; an empty one if there is none.
func (x *Page) selected() row {
	if x.version != x.env.Gate.Version {
		x.arrange()
	}
	i := x.cursor.At()
	if i < 0 || i >= len(x.rows) {
		return row{}
	}
	return x.rows[i]
}

// meant is the one that is held whom the keys mean: that under the cursor, or the only one; nil if there is none.
func (x *Page) meant() *rule.Held {
	if h := x.selected().held; h != nil {
		return h
	}
	if held := x.env.Gate.Held; len(held) == 1 {
		return &held[0]
	}
	return nil
}

// Chosen is the touched request under the cursor, for the keys that work on a request.
func (x *Page) Chosen() *flow.Flow { return x.selected().flow }

// Opened asks for what the list does not tell.
func (x *Page) Opened() {
	x.arrange()
	x.ask()
}

// Show puts the cursor on somebody who is held.
func (x *Page) Show(id uint64) {
	x.arrange()
	x.cursor.Point(slices.IndexFunc(x.rows, func(r row) bool { return r.held != nil && r.held.ID == id }))
	x.moved(true)
}

// Move selects another row.
func (x *Page) Move(n int) { x.moved(x.cursor.Move(n)) }

// End selects the first row, or the last.
func (x *Page) End(bottom bool) { x.moved(x.cursor.End(bottom)) }

// Click puts the cursor on a row.
func (x *Page) Click(i, _, y int) {
	if i == 1 {
		x.sheet.Click(y)
		return
	}
	x.moved(x.cursor.Click(y - x.above()))
}

// moved shows what was chosen on every page, and asks for more of it.
func (x *Page) moved(chosen bool) {
	if !chosen {
		return
	}
	if f := x.selected().flow; f != nil {
		x.env.Choose(f)
	}
	x.ask()
}
