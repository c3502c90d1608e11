package tui

import (
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/story"
)

// An inspector shows the selected request from all sides, one tab a side.
type inspector struct {
	u      *env
	t      *traffic
	tab    tab
	format bodyFormat
	whole  bool // long bodies are shown without folding what lies deep
	width  int  // as drawn
	viewport
	query  string // text searched for; "" when none is
	search *lineEdit
	plans  plans
	tables answerTables

	made inspected
}

// inspected is all that the lines of a tab depend on.
type inspected struct {
	f      *flow.Flow
	tab    tab
	format bodyFormat
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
	in.top = 0
	in.askPlans()
	in.askTable()
}

// turn goes to another tab.
func (in *inspector) turn(by int) {
	in.tab = (in.tab + tab(by) + tabs) % tabs
	in.top = 0
	in.askPlans()
	in.askTable()
	in.u.dirty = true
}

// draw shows the tabs and the lines of the chosen one.
func (in *inspector) drawIn(c *canvas, r rect) {
	in.width = r.w
	in.drawTabs(c, r)
	body := rect{r.x + 1, r.y + 2, r.w - 2, r.h - 2}
	f := in.u.shown()
	if f == nil {
		c.put(body, 1, 0, sDim, pick(in.u.stats.Flows == 0, "A request will be shown here at work.", "Select a request to see it at work."))
		return
	}
	in.build(f, body.w)
	in.draw(c, body, r)
	for y := 0; y < body.h && in.top+y < len(in.lines); y++ {
		in.highlight(c, body, y, in.lines[in.top+y])
	}
}

// highlight marks the text searched for in a line.
func (in *inspector) highlight(c *canvas, r rect, y int, l line) {
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
		c.restyle(rect{r.x + text(sPlain, s[:at]).width(), r.y + y, min(len(q), r.w-at), 1}, selected)
		from = at + len(q)
	}
}

func (in *inspector) drawTabs(c *canvas, r rect) {
	x := 1
	for t := tabStory; t < tabs; t++ {
		name := t.String()
		if r.w < tabsWidth && t != in.tab {
			name = name[:min(4, len(name))]
		}
		st := sPlain
		if t == in.tab {
			st = sTab
		}
		if t == tabEffects && in.u.sel != nil && len(in.u.sel.Effects) > 0 && t != in.tab {
			st = sBold
		}
		x = c.put(r, x, 0, st, name) + 1
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
	now := inspected{f: f, tab: in.tab, format: in.format, width: w, plain: in.u.unmasked, whole: in.whole || in.query != "", plans: pick(in.plans.on, in.plans.came, -1), tables: in.tables.came}
	if f.Watch != nil {
		s := f.Watch.State()
		now.sent, now.ended = s.Sent+s.Bookmarks, !s.Ended.IsZero()
	}
	if now == in.made && in.lines != nil {
		return
	}
	in.made = now
	p := inspectorPage{w: w}
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
	in.lines = p.lines
}

// find goes to the next line (by > 0) or the previous one that holds the text searched for.
func (in *inspector) find(by int) {
	n := len(in.lines)
	q := strings.ToLower(in.query)
	if q == "" || n == 0 {
		return
	}
	for i := 1; i <= n; i++ {
		at := ((in.top+i*by)%n + n) % n
		if strings.Contains(strings.ToLower(in.lines[at].String()), q) {
			in.top = at
			return
		}
	}
	in.u.say("%q is not on this tab", in.query)
}

func (in *inspector) legend() []string { return story.Explain(in.name()) }
