package tui

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A shape is what the layout depends on.
type shape struct {
	w, h    int
	filter  bool // there is a line for the filter
	message bool // there is a line for messages; else they are in the line of keys
	axis    int  // lines that the axis of versions takes where there is room; 0 if it is not shown
	lesson  int  // lines that the strip of a loaded lesson takes; 0 if it is not shown
	gate    int  // lines that the strip of the gate takes where there is room; 0 if it is not shown
	form    page.Form
	panes   int  // that the page may have
	at      int  // which of them has the keys
	first   int  // which of them was the leftmost
	zoom    bool // the pane with the keys takes the whole body
}

// A layout is where everything is. Its rects serve drawing and mouse hits alike; a pane that is not shown is empty.
type layout struct {
	tooSmall bool
	slim     bool // no strip of a lesson, few columns
	columns  int  // 1, 2 or 3 panes side by side
	first    int  // which pane is the leftmost of them

	header, tabs, filter term.Rect
	body                 term.Rect
	titles               term.Rect    // the rule above the panes, where there is one
	panes                [3]term.Rect // those of the page, without their titles
	split                term.Rect    // the rule between two panes above each other
	foot                 term.Rect    // the rule above a pane that lies below the others
	strip, lesson, gate  term.Rect
	toast, hints         term.Rect
}

// layOut says where everything is for a shape. It is a pure function.
func layOut(s shape) layout {
	if s.w < page.MinWidth || s.h < page.MinHeight {
		return layout{tooSmall: true, header: term.Rect{X: 0, Y: 0, W: s.w, H: min(1, s.h)}}
	}
	l := layout{slim: s.w < page.SlimWidth || s.h < page.SlimHeight, columns: 1}
	wide := s.w >= page.WideWidth && s.h >= page.TallHeight
	row := func(y int) term.Rect { return term.Rect{X: 0, Y: y, W: s.w, H: 1} }
	l.header, l.tabs, l.hints = row(0), row(1), row(s.h-1)
	top, bottom := 2, s.h-1
	if s.filter {
		l.filter = row(top)
		top++
	}
	if s.message {
		bottom--
		l.toast = row(bottom)
	}
	take := func(n int) term.Rect {
		bottom -= n
		return term.Rect{X: 0, Y: bottom, W: s.w, H: n}
	}
	if !l.slim {
		l.lesson = take(s.lesson)
		l.strip = take(term.Pick(wide, s.axis, min(s.axis, 1)))
		l.gate = take(term.Pick(wide, s.gate, min(s.gate, 1)))
	} else if s.h >= page.StripHeight && s.w >= page.StripWidth {
		l.strip = take(min(s.axis, 1))
		l.gate = take(min(s.gate, 1))
	}
	l.body = term.Rect{X: 0, Y: top, W: s.w, H: bottom - top}
	inner := l.body
	if wide {
		l.titles, inner = l.body.Row(0), l.body.From(1)
	}
	inner = l.takeFoot(&s, inner)
	switch {
	case s.form.Stacked && (s.form.Beside == 0 || s.w < s.form.Beside || !wide):
		l.stack(s, inner)
	default:
		l.line(s, inner, wide)
	}
	return l
}

// takeFoot puts the third pane below the others where there is room for them too, and returns what is left for these.
func (l *layout) takeFoot(s *shape, in term.Rect) term.Rect {
	tall := max(3, in.H/4)
	rest := in.H - tall - 1
	if !s.form.Foot || s.panes < 3 || s.zoom || rest < leastStack {
		return in
	}
	l.foot = term.Rect{X: in.X, Y: in.Y + rest, W: in.W, H: 1}
	l.panes[2] = term.Rect{X: in.X, Y: in.Y + rest + 1, W: in.W, H: tall}
	s.panes, s.at = 2, min(s.at, 1)
	in.H = rest
	return in
}

// leastStack is how many lines two panes need above each other.
const leastStack = 12

// line puts panes side by side, as many as there is room for, the one with the keys among them.
func (l *layout) line(s shape, in term.Rect, wide bool) {
	switch {
	case s.zoom || !wide || s.panes < 2:
		l.first = s.at
		l.panes[s.at] = in
	case s.w >= page.HugeWidth && s.panes > 2:
		l.columns = 3
		left, mid := s.w*s.form.Three[0]/100, s.w*s.form.Three[1]/100
		l.panes = [3]term.Rect{{X: in.X, Y: in.Y, W: left, H: in.H}, {X: left + 1, Y: in.Y, W: mid, H: in.H}, {X: left + mid + 2, Y: in.Y, W: s.w - left - mid - 2, H: in.H}}
	default:
		l.columns = 2
		l.first = max(0, min(s.first, s.at, s.panes-2), s.at-1)
		left := s.w * s.form.Two / 100
		l.panes[l.first] = term.Rect{X: in.X, Y: in.Y, W: left, H: in.H}
		l.panes[l.first+1] = term.Rect{X: left + 1, Y: in.Y, W: s.w - left - 1, H: in.H}
	}
}

// stack puts one pane above the other.
func (l *layout) stack(s shape, in term.Rect) {
	if s.zoom || in.H < leastStack || s.at > 1 {
		l.panes[s.at] = in
		return
	}
	top := in.H * 45 / 100
	l.panes[0] = term.Rect{X: in.X, Y: in.Y, W: in.W, H: top}
	l.split = term.Rect{X: in.X, Y: in.Y + top, W: in.W, H: 1}
	l.panes[1] = term.Rect{X: in.X, Y: in.Y + top + 1, W: in.W, H: in.H - top - 1}
}
