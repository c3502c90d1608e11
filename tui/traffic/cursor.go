package traffic

import (
	"slices"
	"sort"

	"kubarium/server/flow"
)

// relocate puts the cursor back on the selected record after rows have moved, or on the line that it is folded into.
func (t *Page) relocate() {
	i := t.Find(t.env.Sel)
	if r := t.runs.of(t.env.Sel); i < 0 && r != nil {
		i = t.Find(r.head())
	}
	if i >= 0 {
		t.Cursor = i
	}
	t.Cursor = max(0, min(t.Cursor, len(t.Rows)-1))
}

// Find is the index of a record in rows, -1 if it is not there.
func (t *Page) Find(f *flow.Flow) int {
	if f == nil {
		return -1
	}
	if t.Sort != byTime {
		return slices.Index(t.Rows, f)
	}
	i := sort.Search(len(t.Rows), func(i int) bool { return t.Rows[i].Seq >= f.Seq })
	if i < len(t.Rows) && t.Rows[i] == f {
		return i
	}
	return -1
}

func (t *Page) toNewest() {
	t.newer = 0
	if len(t.Rows) == 0 {
		return
	}
	t.Cursor = len(t.Rows) - 1
	t.env.SelectFlow(t.Rows[t.Cursor])
}

// move pins the selection and moves it.
func (t *Page) Move(lines int) {
	if len(t.Rows) == 0 {
		return
	}
	if t.env.Follow && lines > 0 {
		return
	}
	t.env.Follow = false
	t.Cursor = max(0, min(t.Cursor+lines, len(t.Rows)-1))
	t.env.SelectFlow(t.Rows[t.Cursor])
	t.env.Log.Pin(t.env.Sel.Seq)
}

// end goes to the oldest record, or to the newest and follows.
func (t *Page) End(bottom bool) {
	if bottom {
		t.env.Follow = true
		t.toNewest()
		return
	}
	t.Move(-len(t.Rows))
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
	if r := t.runs.of(f); r != nil && t.Find(f) < 0 {
		t.unfold(r)
	}
	i := t.Find(f)
	if i < 0 {
		t.env.Say("#%d is not in this list: the filter hides it", f.Seq)
		return
	}
	t.env.Follow, t.Cursor = false, i
	t.env.SelectFlow(f)
}

// scroll keeps the cursor visible in n rows.
func (t *Page) scroll(n int) {
	t.tall = n
	if t.env.Follow {
		t.top = len(t.Rows) - n
	}
	if t.Cursor < t.top {
		t.top = t.Cursor
	}
	if t.Cursor >= t.top+n {
		t.top = t.Cursor - n + 1
	}
	t.top = max(0, min(t.top, max(0, len(t.Rows)-n)))
}
