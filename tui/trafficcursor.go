package tui

import (
	"slices"
	"sort"

	"kubarium/server/flow"
)

// relocate puts the cursor back on the selected record after rows have moved, or on the line that it is folded into.
func (t *traffic) relocate() {
	i := t.find(t.u.sel)
	if r := t.runs.of(t.u.sel); i < 0 && r != nil {
		i = t.find(r.head())
	}
	if i >= 0 {
		t.cursor = i
	}
	t.cursor = max(0, min(t.cursor, len(t.rows)-1))
}

// find is the index of a record in rows, -1 if it is not there.
func (t *traffic) find(f *flow.Flow) int {
	if f == nil {
		return -1
	}
	if t.sort != byTime {
		return slices.Index(t.rows, f)
	}
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].Seq >= f.Seq })
	if i < len(t.rows) && t.rows[i] == f {
		return i
	}
	return -1
}

func (t *traffic) toNewest() {
	t.newer = 0
	if len(t.rows) == 0 {
		return
	}
	t.cursor = len(t.rows) - 1
	t.u.selectFlow(t.rows[t.cursor])
}

// move pins the selection and moves it.
func (t *traffic) Move(lines int) {
	if len(t.rows) == 0 {
		return
	}
	if t.u.follow && lines > 0 {
		return
	}
	t.u.follow = false
	t.cursor = max(0, min(t.cursor+lines, len(t.rows)-1))
	t.u.selectFlow(t.rows[t.cursor])
	t.u.log.Pin(t.u.sel.Seq)
}

// end goes to the oldest record, or to the newest and follows.
func (t *traffic) End(bottom bool) {
	if bottom {
		t.u.follow = true
		t.toNewest()
		return
	}
	t.Move(-len(t.rows))
}

func (t *traffic) toggleFollow() {
	if t.u.follow {
		t.u.pin()
		return
	}
	t.u.follow = true
	t.toNewest()
}

// jumpTo pins the selection on a record, if the list shows it.
func (t *traffic) jumpTo(f *flow.Flow) {
	if r := t.runs.of(f); r != nil && t.find(f) < 0 {
		t.unfold(r)
	}
	i := t.find(f)
	if i < 0 {
		t.u.Say("#%d is not in this list: the filter hides it", f.Seq)
		return
	}
	t.u.follow, t.cursor = false, i
	t.u.selectFlow(f)
}

// scroll keeps the cursor visible in n rows.
func (t *traffic) scroll(n int) {
	t.tall = n
	if t.u.follow {
		t.top = len(t.rows) - n
	}
	if t.cursor < t.top {
		t.top = t.cursor
	}
	if t.cursor >= t.top+n {
		t.top = t.cursor - n + 1
	}
	t.top = max(0, min(t.top, max(0, len(t.rows)-n)))
}
