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
	screen screenID
	lesson int  // lines that the strip of a loaded lesson takes; 0 if it is not shown
	zoom   bool // the focused pane takes the whole body
	side   bool // the keys are in the pane beside the list (or below it)
	deep   bool // Objects: the right one of two panes is the object
}

// A layout is where everything is. Its rects serve drawing and mouse hits alike; a pane that is not shown is empty.
type layout struct {
	tooSmall bool
	slim     bool // strips hidden, few columns
	columns  int  // 1, 2 or 3 panes beside each other

	header, tabs, filter rect
	body                 rect
	titles               rect // the rule above the panes, where there is one
	main, side, third    rect // list and inspector (and object) of a screen, without their titles
	split                rect // the rule between two panes above each other
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
	l.panes(s, wide)
	return l
}

// panes divides the body.
func (l *layout) panes(s shape, wide bool) {
	inner := l.body
	if wide {
		l.titles, inner = l.body.row(0), l.body.from(1)
	}
	if s.screen != pageTraffic && s.screen != pageLearn && s.screen != pageObjects {
		l.stacked(s, inner)
		return
	}
	switch {
	case s.zoom || !wide:
		if s.side {
			l.side = inner
		} else {
			l.main = inner
		}
	case s.w >= hugeWidth && (s.screen == pageTraffic || s.screen == pageObjects):
		l.columns = 3
		left := s.w * pick(s.screen == pageObjects, 28, 43) / 100
		mid := s.w * pick(s.screen == pageObjects, 37, 33) / 100
		l.main = rect{inner.x, inner.y, left, inner.h}
		l.side = rect{left + 1, inner.y, mid, inner.h}
		l.third = rect{left + mid + 2, inner.y, s.w - left - mid - 2, inner.h}
	default:
		l.columns = 2
		left := s.w * s.leftShare() / 100
		l.main = rect{inner.x, inner.y, left, inner.h}
		l.side = rect{left + 1, inner.y, s.w - left - 1, inner.h}
	}
}

// leftShare is how much of the width the left one of two panes takes, in percent.
func (s *shape) leftShare() int {
	if s.screen == pageObjects {
		return pick(s.deep, 48, 40)
	}
	return 57
}

// stacked divides the body into a pane above another: the watchers and the frames of one, the conflicts and one of them.
func (l *layout) stacked(s shape, inner rect) {
	if s.zoom || inner.h < 12 {
		if s.side {
			l.side = inner
		} else {
			l.main = inner
		}
		return
	}
	top := inner.h * 45 / 100
	l.main = rect{inner.x, inner.y, inner.w, top}
	l.split = rect{inner.x, inner.y + top, inner.w, 1}
	l.side = rect{inner.x, inner.y + top + 1, inner.w, inner.h - top - 1}
}
