package traffic

import (
	"slices"

	"kubarium/flow"
)

// Cursor is the row under the cursor, -1 if there is none.
func (t *Page) Cursor() int { return t.cursor.At() }

// relocate puts the cursor on the selected record after another one was selected.
func (t *Page) relocate() {
	if i := t.line(t.env.Sel); i >= 0 {
		t.cursor.Point(i)
	}
}

// line is the row of a record, or of the line that it is folded into; -1 if there is none.
func (t *Page) line(f *flow.Flow) int {
	i := t.Find(f)
	if r := t.runs.of(f); i < 0 && r != nil {
		i = t.Find(r.row())
	}
	return i
}

// Find is the index of a record in rows, -1 if it is not there. It looks from the end, where the newest one is.
func (t *Page) Find(f *flow.Flow) int {
	for i := range slices.Backward(t.Rows) {
		if f != nil && t.Rows[i] == f {
			return i
		}
	}
	return -1
}

// newest is the row that is followed: the last one, or the last client's, below which are the steps that Kubarium's own
// controllers took after it.
func (t *Page) newest() int {
	const most = 1000 // such steps; a client's request before them is long ago
	last := len(t.Rows) - 1
	for i := last; t.works && i >= 0 && i > last-most; i-- {
		if !t.Rows[i].Client.Own() {
			return i
		}
	}
	return last
}

func (t *Page) toNewest() {
	t.newer = 0
	if t.cursor.Point(t.newest()) {
		t.env.SelectFlow(t.meant(t.cursor.At()))
	}
}

// Move pins the selection and moves it.
func (t *Page) Move(lines int) {
	t.cursor.Follow = t.env.Follow
	t.choose(t.cursor.Move(lines))
}

// End goes to the oldest record, or to the newest and follows.
func (t *Page) End(bottom bool) {
	if bottom {
		t.env.Follow = true
		t.toNewest()
		return
	}
	t.choose(t.cursor.End(false))
}

// choose selects the record of a row that was chosen, and pins it.
func (t *Page) choose(chosen bool) {
	if chosen {
		t.env.Choose(t.meant(t.cursor.At()))
	}
}

func (t *Page) toggleFollow() {
	if t.env.Follow {
		t.env.Pin()
		return
	}
	t.env.Follow = true
	t.toNewest()
}

// JumpTo pins the selection on a record, if the list shows it.
func (t *Page) JumpTo(f *flow.Flow) {
	f = t.listed(f)
	t.reveal(f)
	i := t.Find(f)
	if i < 0 {
		t.env.Say("#%d is not in this list: the filter hides it", f.Seq)
		return
	}
	t.cursor.Point(i)
	t.env.Follow = false
	t.env.SelectFlow(f)
}
