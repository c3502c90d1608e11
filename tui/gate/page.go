// Package gate is the page of what is done to requests on purpose: who is held at the server's gate, its rules, and
// what they touched.
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
	page.List[row, key]
	version int // of the state that rows were made of

	touched []*flow.Flow // requests that rules acted on, oldest first
	gone    bool         // older ones were let go of
	hidden  int          // those of them that are Kubarium's own

	adding *lineEdit
	past   []string // rules that were added, newest last

	drafts map[uint64][]byte     // edited texts of those that are held
	whole  map[uint64]*rule.Held // with their texts
	asked  uint64                // whose text was asked for last
}

// A row is a line of the list: a heading, a held request, a rule, or what rules touched.
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
func New(e *page.Env) *Page {
	x := &Page{drafts: map[uint64][]byte{}, whole: map[uint64]*rule.Held{}}
	x.List = page.NewList(e, page.ListSpec[row, key]{
		Name: "gate", Row: "touched request", Sheet: "gate, details",
		Form:   page.Form{Stacked: true, Beside: page.HugeWidth, Two: 56},
		Legend: legend(), Keys: x.Keys,
		Key:     (*row).key,
		Request: func(r *row) *flow.Flow { return r.flow },
		Chosen:  x.ask,
		Draw:    x.drawRows, Notice: x.nothing, Detail: x.detail,
	})
	x.Cursor.Skip = func(i int) bool { return x.Rows[i].head != "" }
	return x
}

func (x *Page) Restless() bool { return len(x.Env.Gate.Held) > 0 }

func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "9 Gate", Short: "9Gate", Help: "Gate: hold, delay and refuse requests on purpose, and let them go"}
	if n := len(x.Env.Gate.Held); n > 0 {
		t.Badge = fmt.Sprintf("⏸%d", n)
		t.Means = t.Badge + ": so many requests are held, and wait for you."
	}
	return t
}

func (x *Page) Count() page.Count {
	shown := 0
	for _, r := range x.Rows {
		shown += term.Pick(r.flow != nil || r.watch != nil, 1, 0)
	}
	return page.Count{What: "touched request", Shown: shown, All: max(shown, len(x.touched)-x.hidden), Own: x.hidden, Last: x.gone}
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
		x.touched, x.gone = slices.Clone(x.touched[n:]), true
	}
	x.arrange()
}

// Refilter lists the touched requests that the filter lets through.
func (x *Page) Refilter() { x.arrange() }

// Told is called when there is another state of the gate.
func (x *Page) Told() {
	x.arrange()
	x.ask()
}

// arrange makes the rows again, and keeps the cursor on its row.
func (x *Page) arrange() {
	g := x.Env.Gate
	var rows []*row
	add := func(head string, more []*row) {
		if len(more) > 0 {
			rows = append(append(rows, &row{head: head}), more...)
		}
	}
	var held, rules []*row
	for i := range g.Held {
		held = append(held, &row{held: &g.Held[i]})
	}
	for i := range g.Rules {
		rules = append(rules, &row{rule: &g.Rules[i]})
	}
	add("held", held)
	add("rules", rules)
	add("touched", x.touchedRows())
	x.version = g.Version
	x.Set(rows)
	x.forget()
}

// touchedRows are what rules acted on, newest first: requests, and watches with events.
func (x *Page) touchedRows() []*row {
	var out []*row
	x.hidden = 0
	listed := map[*flow.Watch]bool{}
	for _, w := range slices.Backward(x.Env.Streams.All) {
		if w.State().Touched == 0 {
			continue
		}
		listed[w] = true
		if x.Env.Feed.Verdict(&flow.Flow{Phase: flow.WatchOpened, Start: w.Opened, Client: w.Client, Method: "GET", Target: w.Target, Query: w.Query, Status: 200, Watch: w}) == feed.Shows {
			out = append(out, &row{watch: w})
		}
	}
	for _, f := range slices.Backward(x.touched) {
		switch v := x.Env.Feed.Verdict(f); {
		case f.Watch != nil && listed[f.Watch] && len(f.Faults) == 0:
		case v == feed.Shows:
			out = append(out, &row{flow: f})
		case v == feed.Hides:
			x.hidden++
		}
	}
	return out
}

// forget lets go of the texts of those that are held no more.
func (x *Page) forget() {
	for id := range x.drafts {
		if x.Env.Gate.Find(id) == nil {
			delete(x.drafts, id)
		}
	}
	for id := range x.whole {
		if x.Env.Gate.Find(id) == nil {
			delete(x.whole, id)
		}
	}
}

// selected is the row under the cursor; an empty one if there is none.
func (x *Page) selected() row {
	x.renew()
	if r := x.Selected(); r != nil {
		return *r
	}
	return row{}
}

// renew makes the rows again, unless they are of the newest state of the gate.
func (x *Page) renew() {
	if x.version != x.Env.Gate.Version {
		x.arrange()
	}
}

// meant is the one that is held whom the keys mean: that under the cursor, or the only one; nil if there is none.
func (x *Page) meant() *rule.Held {
	if h := x.selected().held; h != nil {
		return h
	}
	if held := x.Env.Gate.Held; len(held) == 1 {
		return &held[0]
	}
	return nil
}

// Opened asks for the text of the selected request.
func (x *Page) Opened() {
	x.arrange()
	x.ask()
}

// Show puts the cursor on a held request.
func (x *Page) Show(id uint64) {
	x.arrange()
	x.Cursor.Point(slices.IndexFunc(x.Rows, func(r *row) bool { return r.held != nil && r.held.ID == id }))
	x.ask()
}

// Whose is the client of what is held or was touched.
func (x *Page) Whose() (tag, why string) {
	switch r := x.selected(); {
	case r.held != nil:
		return r.held.Client.Tag, ""
	case r.watch != nil:
		return r.watch.Client.Tag, ""
	case r.flow != nil:
		return r.flow.Client.Tag, ""
	case r.rule != nil:
		return "", x.Env.T("a rule is no client's; choose a held or touched request")
	}
	return "", x.needsRow()
}
