package tui

import (
	"kubarium/server/flow"
	"kubarium/server/flow/redact"
	"kubarium/tui/term"
)

// selectFlow moves the one selection.
func (u *env) selectFlow(f *flow.Flow) {
	if f == u.sel {
		return
	}
	if u.sel != nil && !u.marked(u.sel) {
		u.log.Unpin(u.sel.Seq)
	}
	u.sel = f
	if f != nil && !u.follow {
		u.log.Pin(f.Seq)
	}
	for _, told := range u.onSelect {
		told()
	}
	u.dirty = true
}

func (u *env) marked(f *flow.Flow) bool {
	for _, m := range u.marks {
		if m == f {
			return true
		}
	}
	return false
}

// toggleMark pins the selected record until it is unmarked.
func (u *env) toggleMark() {
	f := u.sel
	for i, m := range u.marks {
		if m == f {
			u.marks = append(u.marks[:i:i], u.marks[i+1:]...)
			u.log.Unpin(f.Seq)
			u.Say("unmarked #%d", f.Seq)
			return
		}
	}
	if !u.log.Pin(f.Seq) {
		u.Say("cannot mark #%d: marked records already hold %s", f.Seq, term.BytesText(u.stats.Limits.Pinned))
		return
	}
	u.marks = append(u.marks, f)
	u.Say("marked #%d; d compares it with another, ' goes from mark to mark", f.Seq)
}

// nextMark selects the mark after the selected record.
func (u *env) nextMark() {
	best := u.marks[0]
	for _, m := range u.marks {
		after := u.sel == nil || m.Seq > u.sel.Seq
		if after && (best.Seq <= u.selSeq() || m.Seq < best.Seq) {
			best = m
		}
	}
	u.jump(best)
}

func (u *env) selSeq() uint64 {
	if u.sel == nil {
		return 0
	}
	return u.sel.Seq
}

// pin stays on the selected record, which from then on cannot age out.
func (u *env) pin() {
	u.follow = false
	if u.sel != nil {
		u.log.Pin(u.sel.Seq)
	}
}

// choose makes f the selected request on every screen, and keeps it from ageing out.
func (u *env) choose(f *flow.Flow) {
	if f == nil {
		return
	}
	u.follow = false
	u.selectFlow(f)
	u.log.Pin(f.Seq)
}

// shown is the selected request as it may be shown: secrets masked, unless they were asked for. nil if none is selected.
func (u *env) shown() *flow.Flow {
	if u.sel == nil || u.unmasked {
		return u.sel
	}
	if u.maskedOf != u.sel {
		u.maskedOf, u.masked = u.sel, redact.Flow(u.sel)
	}
	return u.masked
}
