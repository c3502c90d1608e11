package tui

import (
	"fmt"
	"slices"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// view draws the frame, or returns the last one if nothing has changed since.
func (u *ui) view() string {
	if !u.Dirty {
		return u.frame
	}
	began := u.Clock()
	if u.shape() != u.shaped { // a lesson's words may have become more or fewer, a filter may be typed
		u.Relayout()
	}
	u.outdate()
	c := &u.c
	c.Reset(u.w, u.h)
	c.Words = u.Words
	if u.lay.tooSmall {
		u.drawTooSmall(c)
	} else {
		u.drawAll(c)
	}
	u.frame = c.Render(u.th, u.o.charset())
	u.Dirty = false
	u.meter.frames++
	u.meter.draw = u.Clock().Sub(began)
	u.meter.slowest = max(u.meter.slowest, u.meter.draw+u.meter.fold)
	return u.frame
}

func (u *ui) drawTooSmall(c *term.Canvas) {
	s := u.F("too small for the UI (%dx%d); the API keeps serving on %s", page.MinWidth, page.MinHeight, u.URL)
	s += fmt.Sprintf("  %d req/s  rv %d", u.rate.PerSecond(u.Clock()), u.live.Time.Head)
	for y, l := range term.Wrap(s, u.w) {
		c.Put(term.Rect{X: 0, Y: 0, W: u.w, H: u.h}, 0, y, term.Plain, l)
	}
}

func (u *ui) drawAll(c *term.Canvas) {
	l := &u.lay
	u.drawHeader(c, l.header)
	u.drawTabs(c, l.tabs)
	if n, ok := u.page().(page.Narrower); l.filter.Empty() {
	} else if ok {
		n.DrawNarrow(c, l.filter)
	} else {
		u.drawFilter(c, l.filter)
	}
	if u.Point != nil {
		u.Point.Seen = false
	}
	u.drawBody(c)
	u.markRow(c)
	u.drawGate(c, l.gate)
	u.strip.draw(c, l.strip, u.Env)
	u.lesson.DrawStrip(c, l.lesson)
	if r, shows := u.messageRow(); shows {
		u.drawToast(c, r)
	}
	if !u.covered() {
		u.drawHints(c, l.hints)
	}
	u.markSame(c)
	if u.Over != nil {
		u.Over.Draw(c, term.Rect{X: 0, Y: 1, W: u.w, H: u.h - 2})
	}
}

// drawBody draws the panes of the page that there is room for, with their titles.
func (u *ui) drawBody(c *term.Canvas) {
	l, p := &u.lay, u.page()
	for i, r := range l.panes {
		if r.Empty() {
			continue
		}
		if !l.titles.Empty() && r.Y == l.titles.Y+1 {
			u.drawTitle(c, i, r)
		}
		if rule := term.Pick(i == 1, l.split, l.foot); i > 0 && !rule.Empty() {
			title, note := u.paneTitle(i, rule.W)
			c.Rule(rule, 0, term.Border, title, note)
		}
		p.Draw(c, i, r)
	}
}

// markRow marks the line that a lesson points at, first of all in the pane that has the keys.
func (u *ui) markRow(c *term.Canvas) {
	u.Point.MarkRow(c, u.lay.panes[u.At])
	for _, r := range u.lay.panes {
		u.Point.MarkRow(c, r)
	}
}

// markSame marks what is pointed at wherever else it is on the screen; without a lesson, the selected request's version.
func (u *ui) markSame(c *term.Canvas) {
	switch {
	case u.Point != nil:
		u.Point.MarkSame(c)
	case u.Sel != nil && u.Sel.Revision > 0 && u.lesson.Loaded == nil:
		page.MarkVersion(c, fmt.Sprint(u.Sel.Revision))
	}
}

// paneTitle is the title of the i-th pane, as wide as that, with a mark where the lesson says to look.
func (u *ui) paneTitle(i, w int) (title, note term.Line) {
	title, note = u.page().Title(i)
	if !u.guide.isHere(i) {
		return title, note
	}
	mark := term.Text(term.Warn, u.T(" ◀ here"))
	return append(term.FitLine(title, w-4-mark.Width()), mark...), note
}

// drawTitle draws the title of the i-th pane above it, and the rule that parts it from its neighbour on the left.
func (u *ui) drawTitle(c *term.Canvas, i int, r term.Rect) {
	y := u.lay.titles.Y
	title, note := u.paneTitle(i, r.W)
	c.Rule(term.Rect{X: r.X, Y: y, W: r.W, H: 1}, 0, term.Border, title, note)
	if r.X == 0 {
		return
	}
	c.Put(term.Rect{X: r.X - 1, Y: y, W: 1, H: 1}, 0, 0, term.Border, "┬")
	for dy := range r.H {
		c.Put(term.Rect{X: r.X - 1, Y: r.Y + dy, W: 1, H: 1}, 0, 0, term.Border, "│")
	}
}

// drawToast shows the message, or the text that is searched for.
func (u *ui) drawToast(c *term.Canvas, r term.Rect) {
	if e := u.traffic().Inspector.Search; e != nil {
		x := c.Put(r, 1, 0, term.Key, u.T("search: "))
		e.Draw(c, r, x, 0)
		return
	}
	text, st := u.messageLine()
	c.Put(r, 1, 0, st, term.Fit(text, r.W-2))
}

// drawHints names the useful keys of the moment.
func (u *ui) drawHints(c *term.Canvas, r term.Rect) {
	u.eachHint(r.W, func(x int, b *page.Binding) {
		x = c.Put(r, x, 0, term.Key, term.KeyName(b.Keys[0]))
		c.Put(r, x+1, 0, term.Plain, u.T(b.Hint))
	})
}

// quietHints is how many keys a quiet screen names before those that are always named.
const quietHints = 2

// eachHint calls f with the bindings that the line of hints has room for; help and quit are always among them. A quiet screen
// names five keys.
func (u *ui) eachHint(w int, f func(x int, b *page.Binding)) {
	size := func(b *page.Binding) int {
		return term.Text(term.Plain, term.KeyName(b.Keys[0])+" "+u.T(b.Hint)).Width() + 2
	}
	var always []*page.Binding
	var others []*page.Binding
	bs := u.bindings()
	names := []string{"?", "q"}
	if u.quiet {
		names = []string{"e", "?", "q"}
	}
	for i := range bs {
		b := &bs[i]
		if b.Hint == "" || b.Why() != "" {
			continue
		}
		if slices.Contains(names, b.Keys[0]) {
			always = append(always, b)
			w -= size(b)
		} else {
			others = append(others, b)
		}
	}
	x := 1
	for i, b := range others {
		if u.quiet && i >= quietHints {
			break
		}
		if x+size(b) > w {
			continue
		}
		f(x, b)
		x += size(b)
	}
	for _, b := range always {
		f(x, b)
		x += size(b)
	}
}
