package term

import "kubarium/cells"

// A List is the cursor of a list of rows: which row is chosen, and which rows are visible. Its owner has the rows, and
// calls Keep whenever they have changed. The zero List is empty and ready for use.
type List[K comparable] struct {
	Key    K                // of the chosen row; while there are no rows, of the last chosen one
	Follow bool             // the newest row is chosen as it comes
	Tail   bool             // the end of the list follows the newest row
	Newest func() int       // index of the newest row; nil for the last one
	Skip   func(i int) bool // whether a row cannot be chosen, such as a heading; nil for none
	First  bool             // the first row stays visible, above those that scroll
	Width  int              // how much of the chosen row is highlighted, from its left; 0 for all of it

	n      int
	key    func(i int) K
	cursor int
	top    int // the first visible row
	tall   int // visible rows, as drawn last
}

// Tailing returns a list that follows its newest row until the cursor moves up, and again from its end.
func Tailing[K comparable]() List[K] { return List[K]{Follow: true, Tail: true} }

// Emptied returns the list with the same cursor but without rows. The owner must set Newest and Skip again.
func (l List[K]) Emptied() List[K] {
	l.n, l.key, l.Newest, l.Skip = 0, nil, nil, nil
	return l
}

// Keep sets the number of rows and their keys. The cursor stays on its item and at its place on the screen; if the item
// is gone, on the row that took its place. Without keys it stays on the same index.
func (l *List[K]) Keep(n int, key func(i int) K) {
	l.key = key
	at := -1
	for i := 0; key != nil && i < n; i++ {
		if key(i) == l.Key {
			at = i
			break
		}
	}
	l.Place(n, at)
}

// Place does what Keep does, for an owner that has found the item itself; at is -1 if it is gone.
func (l *List[K]) Place(n, at int) {
	above := l.cursor - l.top
	l.n, l.cursor = n, max(0, min(l.cursor, n-1))
	switch {
	case n == 0:
		l.top = 0
		return
	case l.Follow:
		at = l.newest()
	case at < 0:
		at = l.cursor
	}
	l.put(l.free(at, 1))
	l.top = max(0, l.cursor-above)
}

func (l *List[K]) newest() int {
	if l.Newest == nil {
		return l.n - 1
	}
	return max(0, min(l.Newest(), l.n-1))
}

// free returns the first row from i that can be chosen, in the direction of by, or else in the other; -1 if there is
// none.
func (l *List[K]) free(i, by int) int {
	for _, step := range []int{by, -by} {
		for at := i; at >= 0 && at < l.n; at += step {
			if !l.skips(at) {
				return at
			}
		}
	}
	return -1
}

func (l *List[K]) skips(i int) bool { return l.Skip != nil && l.Skip(i) }

func (l *List[K]) put(i int) {
	if i < 0 {
		return
	}
	l.cursor = i
	if l.key != nil {
		l.Key = l.key(i)
	}
}

// At returns the chosen row, -1 if there is none.
func (l *List[K]) At() int {
	if l.n == 0 || l.skips(l.cursor) {
		return -1
	}
	return l.cursor
}

// Height returns the number of visible rows.
func (l *List[K]) Height() int { return max(1, l.tall) }

// Point chooses the i-th row, or the next one that can be chosen, and stops following. It returns false if there is
// none.
func (l *List[K]) Point(i int) bool { return l.point(i, 1) }

func (l *List[K]) point(i, by int) bool {
	if l.n == 0 {
		return false
	}
	i = l.free(max(0, min(i, l.n-1)), by)
	if i < 0 {
		return false
	}
	l.Follow = false
	l.put(i)
	return true
}

// Move moves the cursor by n rows. It returns false if it did not: a list that follows its last row stays there.
func (l *List[K]) Move(n int) bool {
	if l.Follow && n > 0 && l.cursor == l.n-1 {
		return false
	}
	return l.point(l.cursor+n, Pick(n < 0, -1, 1))
}

// End chooses the first row, or the last; with Tail it follows the newest from then on, and returns false.
func (l *List[K]) End(bottom bool) bool {
	if !bottom {
		return l.point(0, 1)
	}
	if !l.Tail {
		return l.point(l.n-1, -1)
	}
	l.Follow = true
	if l.n > 0 {
		l.put(l.free(l.newest(), -1))
	}
	return false
}

// Click chooses the row drawn y rows below the first visible one. It returns false if there is none.
func (l *List[K]) Click(y int) bool {
	if y < 0 || y >= l.tall || l.rowAt(y) >= l.n {
		return false
	}
	return l.Point(l.rowAt(y))
}

// rowAt returns the row that is visible at line y.
func (l *List[K]) rowAt(y int) int {
	if y == 0 && l.First && l.tall > 1 {
		return 0
	}
	return l.top + y
}

// Range scrolls as little as needed to show the chosen row and its headings, and returns the visible rows: from, and to
// exclusive.
func (l *List[K]) Range(tall int) (from, to int) {
	l.tall = max(0, tall)
	first := l.cursor
	for first > 0 && l.skips(first-1) {
		first--
	}
	if l.First && l.tall > 1 { // the first line does not scroll
		first = Pick(l.cursor == 0, l.n, l.cursor-1)
	}
	l.top = max(0, min(l.top, first, l.n-l.tall), l.cursor-l.tall+1)
	if l.Follow && l.Newest != nil { // what is below the newest row came with it
		l.top = max(l.top, min(first, l.n-l.tall))
	}
	l.top = min(l.top, l.n)
	return l.top, min(l.n, l.top+l.tall)
}

// Draw draws the visible rows into r with draw, and highlights the chosen one in a style; with Plain it does not.
func (l *List[K]) Draw(c *Canvas, r Rect, chosen Style, draw func(row Rect, i int)) {
	from, to := l.Range(r.H)
	for y := range to - from {
		row, i := r.Row(y), l.rowAt(y)
		draw(row, i)
		if i != l.At() || chosen == Plain {
			continue
		}
		c.Put(row, 0, 0, Bold, "▸")
		row.W = Pick(l.Width > 0, min(l.Width, row.W), row.W)
		c.Restyle(row, chosen)
	}
}

// DrawMore draws as Draw does, and in the last row how many more are below: next to a row of the list if width, its
// right end, leaves room for that, else in its place.
func (l *List[K]) DrawMore(c *Canvas, r Rect, chosen Style, width func(i int) int, draw func(row Rect, i int)) {
	rows := r
	if _, to := l.Range(r.H); l.More() > 0 && r.H > 1 && width(to-1)+cells.Width(moreText(l.More())) > r.W {
		rows.H--
	}
	l.Draw(c, rows, chosen, draw)
	c.More(r, l.More())
}

// More returns the number of rows below the visible ones.
func (l *List[K]) More() int { return max(0, l.n-l.top-l.tall) }
