package tui

import (
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/body"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// An inspector shows the selected request from all sides, one tab a side.
type inspector struct {
	u      *env
	more   func() []binding // what keys do on the page as a whole
	tab    tab
	format body.Format
	whole  bool // long bodies are shown without folding what lies deep
	width  int  // as drawn
	term.Viewport
	query  string // text searched for; "" when none is
	search *term.LineEdit
	plans  plans
	tables answerTables

	made inspected
}

// inspected is all that the lines of a tab depend on.
type inspected struct {
	f      *flow.Flow
	tab    tab
	format body.Format
	width  int
	plain  bool
	whole  bool
	sent   uint64 // events of a watch, which go on
	ended  bool
	plans  int // query plans that came; -1 while they are not shown
	tables int // Tables of answers that came
}

// A tab is one side of a request.
type tab int

const (
	tabStory tab = iota
	tabRequest
	tabResponse
	tabStations
	tabSQL
	tabEffects
	tabRaw
	tabs
)

func (t tab) String() string {
	return [...]string{"Story", "Request", "Response", "Stations", "SQL", "Effects", "Raw"}[t]
}

func (in *inspector) name() string { return strings.ToLower(in.tab.String()) }

// rewind is told that another request was selected.
func (in *inspector) rewind() {
	in.Top = 0
	in.askPlans()
	in.askTable()
}

// turn goes to another tab.
func (in *inspector) turn(by int) {
	in.tab = (in.tab + tab(by) + tabs) % tabs
	in.Top = 0
	in.askPlans()
	in.askTable()
	in.u.dirty = true
}

// draw shows the tabs and the lines of the chosen one.
func (in *inspector) drawIn(c *term.Canvas, r term.Rect) {
	in.width = r.W
	in.drawTabs(c, r)
	body := term.Rect{X: r.X + 1, Y: r.Y + 2, W: r.W - 2, H: r.H - 2}
	f := in.u.shown()
	if f == nil {
		c.Put(body, 1, 0, term.Dim, term.Pick(in.u.stats.Flows == 0, "A request will be shown here at work.", "Select a request to see it at work."))
		return
	}
	in.build(f, body.W)
	in.Draw(c, body, r)
	for y := 0; y < body.H && in.Top+y < len(in.Lines); y++ {
		in.highlight(c, body, y, in.Lines[in.Top+y])
	}
}

// highlight marks the text searched for in a line.
func (in *inspector) highlight(c *term.Canvas, r term.Rect, y int, l term.Line) {
	if in.query == "" {
		return
	}
	s := strings.ToLower(l.String())
	q := strings.ToLower(in.query)
	for from := 0; ; {
		i := strings.Index(s[from:], q)
		if i < 0 {
			return
		}
		at := from + i
		c.Restyle(term.Rect{X: r.X + term.Text(term.Plain, s[:at]).Width(), Y: r.Y + y, W: min(len(q), r.W-at), H: 1}, term.Selected)
		from = at + len(q)
	}
}

func (in *inspector) drawTabs(c *term.Canvas, r term.Rect) {
	x := 1
	for t := tabStory; t < tabs; t++ {
		name := t.String()
		if r.W < tabsWidth && t != in.tab {
			name = name[:min(4, len(name))]
		}
		st := term.Plain
		if t == in.tab {
			st = term.Tab
		}
		if t == tabEffects && in.u.sel != nil && len(in.u.sel.Effects) > 0 && t != in.tab {
			st = term.Bold
		}
		x = c.Put(r, x, 0, st, name) + 1
	}
}

// tabsWidth is the width from which on the tabs' names are written out.
const tabsWidth = 49

// clickTab goes to the tab whose name is drawn at a column.
func (in *inspector) clickTab(x int) {
	at := 1
	for t := tabStory; t < tabs; t++ {
		n := len(t.String())
		if in.width < tabsWidth && t != in.tab {
			n = min(4, n)
		}
		if x >= at && x < at+n {
			in.turn(int(t - in.tab))
			return
		}
		at += n + 1
	}
}

// build makes the lines of the tab, unless they are still right.
func (in *inspector) build(f *flow.Flow, w int) {
	now := inspected{f: f, tab: in.tab, format: in.format, width: w, plain: in.u.unmasked, whole: in.whole || in.query != "", plans: term.Pick(in.plans.on, in.plans.came, -1), tables: in.tables.came}
	if f.Watch != nil {
		s := f.Watch.State()
		now.sent, now.ended = s.Sent+s.Bookmarks, !s.Ended.IsZero()
	}
	if now == in.made && in.Lines != nil {
		return
	}
	in.made = now
	p := term.Column{W: w}
	switch in.tab {
	case tabStory:
		in.story(&p, f)
	case tabRequest:
		in.request(&p, f)
	case tabResponse:
		in.response(&p, f)
	case tabStations:
		in.stations(&p, f)
	case tabSQL:
		in.sql(&p, f)
	case tabEffects:
		in.effects(&p, f)
	case tabRaw:
		in.raw(&p, f)
	}
	in.Lines = p.Lines
}

// find goes to the next line (by > 0) or the previous one that holds the text searched for.
func (in *inspector) find(by int) {
	n := len(in.Lines)
	q := strings.ToLower(in.query)
	if q == "" || n == 0 {
		return
	}
	for i := 1; i <= n; i++ {
		at := ((in.Top+i*by)%n + n) % n
		if strings.Contains(strings.ToLower(in.Lines[at].String()), q) {
			in.Top = at
			return
		}
	}
	in.u.Say("%q is not on this tab", in.query)
}

func (in *inspector) legend() []string { return story.Explain(in.name()) }

func (in *inspector) keys() []binding {
	return append([]binding{
		{keys: []string{"enter"}, hint: "plans", help: "SQL: show how SQLite runs each statement, or hide it", off: in.needsStatements, do: in.togglePlans},
		{keys: []string{"/"}, hint: "search", help: "search in this tab", do: in.startSearch},
		{keys: []string{"n"}, help: "next place of the text searched for", off: in.needsQuery, do: func() { in.find(1) }},
		{keys: []string{"N"}, help: "previous place of the text searched for", off: in.needsQuery, do: func() { in.find(-1) }},
	}, in.more()...)
}

func (in *inspector) needsQuery() string {
	return unless(in.query != "", "nothing was searched for: press /")
}

// told is one side of a request in lines of a width, as it stands by itself.
func (in *inspector) told(f *flow.Flow, side tab, width int) []term.Line {
	in.tab, in.whole = side, true
	in.build(f, width)
	return in.Lines
}
