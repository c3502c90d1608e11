package tui

import "kubarium/server/flow"

// selectFlow moves the one selection.
func (u *ui) selectFlow(f *flow.Flow) {
	if f == u.sel {
		return
	}
	if u.sel != nil && !u.marked(u.sel) {
		u.o.Log.Unpin(u.sel.Seq)
	}
	u.sel = f
	if f != nil && !u.traffic.follow {
		u.o.Log.Pin(f.Seq)
	}
	u.inspector.rewind()
	u.dirty = true
}

func (u *ui) marked(f *flow.Flow) bool {
	for _, m := range u.marks {
		if m == f {
			return true
		}
	}
	return false
}

// toggleMark pins the selected record until it is unmarked.
func (u *ui) toggleMark() {
	f := u.sel
	for i, m := range u.marks {
		if m == f {
			u.marks = append(u.marks[:i:i], u.marks[i+1:]...)
			u.o.Log.Unpin(f.Seq)
			u.say("unmarked #%d", f.Seq)
			return
		}
	}
	if !u.o.Log.Pin(f.Seq) {
		u.say("cannot mark #%d: marked records already hold %s", f.Seq, bytesText(u.stats.Limits.Pinned))
		return
	}
	u.marks = append(u.marks, f)
	u.say("marked #%d; d compares it with another, ' goes from mark to mark", f.Seq)
}

// nextMark selects the mark after the selected record.
func (u *ui) nextMark() {
	best := u.marks[0]
	for _, m := range u.marks {
		after := u.sel == nil || m.Seq > u.sel.Seq
		if after && (best.Seq <= u.selSeq() || m.Seq < best.Seq) {
			best = m
		}
	}
	u.traffic.jumpTo(best)
}

func (u *ui) selSeq() uint64 {
	if u.sel == nil {
		return 0
	}
	return u.sel.Seq
}
