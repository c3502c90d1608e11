// Package inspect shows one request from all sides: its story, the request and the answer, its way through the server,
// its SQL, and its effects.
package inspect

import (
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/tui/body"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// An Inspector shows the selected request, one side on each tab.
type Inspector struct {
	env    *page.Env
	more   func() []page.Binding // the keys of the page
	Tab    Tab
	Format body.Format
	whole  bool // nothing is folded: headers, sizes, managedFields, long bodies
	width  int  // as drawn
	term.Viewport
	Query  string // text searched for; "" when none is
	Search *term.LineEdit
	plans  plans
	tables answerTables

	made  inspected
	calls map[int]int    // the call that a line belongs to, by line
	jumps map[int]uint64 // the request that a line of a chain leads to, by line
	place place
}

// New returns an inspector; more returns the keys of its page.
func New(env *page.Env, more func() []page.Binding) *Inspector {
	return &Inspector{env: env, more: more}
}

// Stand copies tab, format and scroll position of another inspector.
func (in *Inspector) Stand(o *Inspector) {
	in.Tab, in.Format, in.whole, in.Query, in.Viewport = o.Tab, o.Format, o.whole, o.Query, o.Viewport
}

// inspected is everything on which the lines of a tab depend.
type inspected struct {
	f      *flow.Flow
	tab    Tab
	format body.Format
	width  int
	plain  bool
	whole  bool
	point  *page.Point
	sent   uint64 // events of a watch, whose number grows
	ended  bool
	plans  int // query plans received; -1 while they are hidden
	tables int // Tables received
	chain  *flow.Chain
}

// A Tab is one side of a request.
type Tab int

// The tabs.
const (
	TabStory Tab = iota
	TabRequest
	tabResponse
	tabStations
	tabStore // statements to the store
	tabEffects
	tabRaw
	Tabs
)

// String returns the name that lessons use, which is that for SQLite; Title is the name on the screen.
func (t Tab) String() string {
	return [...]string{"Story", "Request", "Response", "Stations", "SQL", "Effects", "Raw"}[t]
}

// Title returns the name of a tab on the screen.
func (in *Inspector) Title(t Tab) string {
	if t == tabStore {
		return in.env.Store().Tab
	}
	return t.String()
}

// Name returns the name of the present tab in lower case.
func (in *Inspector) Name() string { return strings.ToLower(in.Title(in.Tab)) }

// Rewind is called when another request or call was selected.
func (in *Inspector) Rewind() {
	in.Top = 0
	in.askPlans()
	in.askTable()
}

// Turn shows another tab.
func (in *Inspector) Turn(by int) {
	in.Tab = (in.Tab + Tab(by) + Tabs) % Tabs
	in.Top = 0
	in.askPlans()
	in.askTable()
	in.env.Dirty = true
}

// DrawIn draws the tabs and the lines of the present one.
func (in *Inspector) DrawIn(c *term.Canvas, r term.Rect) {
	in.width = r.W
	in.drawTabs(c, r)
	body := term.Rect{X: r.X + 1, Y: r.Y + 2, W: r.W - 2, H: r.H - 2}
	f := in.env.Shown()
	if f == nil {
		c.Put(body, 1, 0, term.Dim, term.Pick(in.env.Stats.Flows == 0,
			"A request will be shown here at work.", "Select a request to see it at work."))
		return
	}
	in.Build(f, body.W)
	in.env.Point.Lead(&in.Viewport, in.place.line, body.H)
	in.Draw(c, body, r)
	if y := in.place.line - in.Top; in.place.line >= 0 && y < body.H {
		in.env.Point.Mark(c, body, y, in.place.text)
	}
	for y := 0; y < body.H && in.Top+y < len(in.Lines); y++ {
		in.highlight(c, body, y, in.Lines[in.Top+y])
	}
}

// highlight marks the searched text in a line.
func (in *Inspector) highlight(c *term.Canvas, r term.Rect, y int, l term.Line) {
	if in.Query == "" {
		return
	}
	s := strings.ToLower(l.String())
	q := strings.ToLower(in.Query)
	for from := 0; ; {
		i := strings.Index(s[from:], q)
		if i < 0 {
			return
		}
		at := from + i
		x := cells.Width(s[:at])
		c.Restyle(term.Rect{X: r.X + x, Y: r.Y + y, W: min(cells.Width(q), r.W-x), H: 1}, term.Selected)
		from = at + len(q)
	}
}

func (in *Inspector) drawTabs(c *term.Canvas, r term.Rect) {
	x := 1
	for t := TabStory; t < Tabs; t++ {
		name := in.Title(t)
		if r.W < in.tabsWidth() && t != in.Tab {
			name = name[:min(4, len(name))]
		}
		st := term.Plain
		if t == in.Tab {
			st = term.Tab
		}
		if t == tabEffects && in.env.Sel != nil && len(in.env.Sel.Effects) > 0 && t != in.Tab {
			st = term.Bold
		}
		x = c.Put(r, x, 0, st, name) + 1
	}
}

// tabsWidth is the width from which on all tabs' names are written out.
func (in *Inspector) tabsWidth() int {
	w := 1
	for t := TabStory; t < Tabs; t++ {
		w += len(in.Title(t)) + 1
	}
	return w
}

// ClickTab shows the tab whose name is drawn at a column.
func (in *Inspector) ClickTab(x int) {
	at := 1
	for t := TabStory; t < Tabs; t++ {
		n := len(in.Title(t))
		if in.width < in.tabsWidth() && t != in.Tab {
			n = min(4, n)
		}
		if x >= at && x < at+n {
			in.Turn(int(t - in.Tab))
			return
		}
		at += n + 1
	}
}

// Build makes the lines of the tab, unless they are up to date.
func (in *Inspector) Build(f *flow.Flow, w int) {
	now := inspected{
		f: f, tab: in.Tab, format: in.Format, width: w, plain: in.env.Unmasked, whole: in.whole || in.Query != "", point: in.env.Point,
		plans: term.Pick(in.plans.on, in.plans.came, -1), tables: in.tables.came,
	}
	if in.Tab == TabStory {
		now.chain = in.chainOf(f)
	}
	if f.Watch != nil {
		s := f.Watch.State()
		now.sent, now.ended = s.Sent+s.Bookmarks, !s.Ended.IsZero()
	}
	if now == in.made && in.Lines != nil {
		return
	}
	in.made = now
	in.calls, in.jumps, in.place = map[int]int{}, map[int]uint64{}, place{line: -1}
	p := term.Column{W: w}
	switch in.Tab {
	case TabStory:
		in.story(&p, f)
	case TabRequest:
		in.request(&p, f)
	case tabResponse:
		in.response(&p, f)
	case tabStations:
		in.stations(&p, f)
	case tabStore:
		in.store(&p, f)
	case tabEffects:
		in.effects(&p, f)
	case tabRaw:
		in.raw(&p, f)
	}
	in.Lines = p.Lines
	in.placeRow()
}

// find scrolls to the next line (by > 0) or the previous one with the searched text.
func (in *Inspector) find(by int) {
	n := len(in.Lines)
	q := strings.ToLower(in.Query)
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
	in.env.Say("%q is not on this tab", in.Query)
}

// Legend explains the present tab.
func (in *Inspector) Legend() []string { return story.Explain(in.Name()) }

// Keys returns the keys of the inspector and of its page.
func (in *Inspector) Keys() []page.Binding {
	help := "open the next call to a webhook, a converter or another server; Story: the request that led to a write" +
		term.Pick(in.env.Store().Plans, "; SQL: show how SQLite runs each statement, or hide it", "")
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: term.Pick(in.plansHere(), "plans", "call"), Help: help, Off: in.needsEnter,
			Do: in.enter},
		{Keys: []string{"/"}, Hint: "search", Help: "search in this tab", Do: in.startSearch},
		{Keys: []string{"n"}, Help: "next match", Off: in.needsQuery, Do: func() { in.find(1) }},
		{Keys: []string{"N"}, Help: "previous match", Off: in.needsQuery, Do: func() { in.find(-1) }},
	}, in.more()...)
}

func (in *Inspector) needsQuery() string {
	return page.Unless(in.Query != "", "nothing was searched for: press /")
}

// Told returns the lines of one side of a request, for a width.
func (in *Inspector) Told(f *flow.Flow, side Tab, width int) []term.Line {
	in.Tab, in.whole = side, true
	in.Build(f, width)
	return in.Lines
}
