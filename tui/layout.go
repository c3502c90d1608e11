package tui

// A screenID is one of the numbered screens; the number is its key.
type screenID int

const (
	pageTraffic screenID = 1 + iota
	pageWatches
	pageLists
	pageVersions
	pageConflicts
	pageDeletes
	pageObjects
	pageLearn
)

// The sizes at which the layout changes, in cells.
const (
	minWidth, minHeight   = 40, 10  // below this only one line is shown
	slimWidth, slimHeight = 80, 24  // below this strips are hidden and columns drop
	wideWidth, tallHeight = 120, 30 // from here on two panes stand beside each other
	hugeWidth             = 160     // from here on three
)

// A shape is what the layout depends on.
type shape struct {
	w, h   int
	lesson int // lines that the strip of a loaded lesson takes; 0 if it is not shown
	form   form
	panes  int  // that the page may have
	at     int  // which of them has the keys
	first  int  // which of them was the leftmost
	zoom   bool // the pane with the keys takes the whole body
}

// A layout is where everything is. Its rects serve drawing and mouse hits alike; a pane that is not shown is empty.
type layout struct {
	tooSmall bool
	slim     bool // strips hidden, few columns
	columns  int  // 1, 2 or 3 panes beside each other
	first    int  // which pane is the leftmost of them

	header, tabs, filter rect
	body                 rect
	titles               rect    // the rule above the panes, where there is one
	panes                [3]rect // those of the page, without their titles
	split                rect    // the rule between two panes above each other
	strip, lesson        rect
	toast, hints         rect
}

// layOut says where everything is for a shape. It is a pure function.
func layOut(s shape) layout {
	if s.w < minWidth || s.h < minHeight {
		return layout{tooSmall: true, header: rect{0, 0, s.w, min(1, s.h)}}
	}
	l := layout{slim: s.w < slimWidth || s.h < slimHeight, columns: 1}
	wide := s.w >= wideWidth && s.h >= tallHeight
	l.header, l.tabs, l.filter = rect{0, 0, s.w, 1}, rect{0, 1, s.w, 1}, rect{0, 2, s.w, 1}
	l.toast, l.hints = rect{0, s.h - 2, s.w, 1}, rect{0, s.h - 1, s.w, 1}
	bottom := s.h - 2
	take := func(n int) rect {
		bottom -= n
		return rect{0, bottom, s.w, n}
	}
	if !l.slim {
		l.lesson = take(s.lesson)
		l.strip = take(pick(wide, 3, 1))
	}
	l.body = rect{0, 3, s.w, bottom - 3}
	inner := l.body
	if wide {
		l.titles, inner = l.body.row(0), l.body.from(1)
	}
	switch {
	case s.form.stacked:
		l.stack(s, inner)
	default:
		l.line(s, inner, wide)
	}
	return l
}

// line puts panes beside each other, as many as there is room for, that with the keys among them.
func (l *layout) line(s shape, in rect, wide bool) {
	switch {
	case s.zoom || !wide || s.panes < 2:
		l.first = s.at
		l.panes[s.at] = in
	case s.w >= hugeWidth && s.panes > 2:
		l.columns = 3
		left, mid := s.w*s.form.three[0]/100, s.w*s.form.three[1]/100
		l.panes = [3]rect{{in.x, in.y, left, in.h}, {left + 1, in.y, mid, in.h}, {left + mid + 2, in.y, s.w - left - mid - 2, in.h}}
	default:
		l.columns = 2
		l.first = max(0, min(s.first, s.at, s.panes-2), s.at-1)
		left := s.w * s.form.two / 100
		l.panes[l.first] = rect{in.x, in.y, left, in.h}
		l.panes[l.first+1] = rect{left + 1, in.y, s.w - left - 1, in.h}
	}
}

// stack puts one pane above the other.
func (l *layout) stack(s shape, in rect) {
	if s.zoom || in.h < 12 {
		l.panes[s.at] = in
		return
	}
	top := in.h * 45 / 100
	l.panes[0] = rect{in.x, in.y, in.w, top}
	l.split = rect{in.x, in.y + top, in.w, 1}
	l.panes[1] = rect{in.x, in.y + top + 1, in.w, in.h - top - 1}
}
