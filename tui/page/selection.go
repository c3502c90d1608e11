package page

import (
	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/term"
)

// SelectFlow moves the one selection.
func (u *Env) SelectFlow(f *flow.Flow) {
	if f == u.Sel {
		return
	}
	if u.Sel != nil && !u.Marked(u.Sel) {
		u.Log.Unpin(u.Sel.Seq)
	}
	u.Sel, u.call = f, 0
	if f != nil && !u.Follow {
		u.Log.Pin(f.Seq)
	}
	for _, told := range u.OnSelect {
		told()
	}
	u.Dirty = true
}

// Marked reports whether a record is one of the marked ones.
func (u *Env) Marked(f *flow.Flow) bool {
	for _, m := range u.Marks {
		if m == f {
			return true
		}
	}
	return false
}

// ToggleMark pins the selected record until it is unmarked.
func (u *Env) ToggleMark() {
	f := u.Sel
	for i, m := range u.Marks {
		if m == f {
			u.Marks = append(u.Marks[:i:i], u.Marks[i+1:]...)
			u.Log.Unpin(f.Seq)
			u.Say("unmarked #%d", f.Seq)
			return
		}
	}
	if !u.Log.Pin(f.Seq) {
		u.Say("cannot mark #%d: marked records already hold %s", f.Seq, term.BytesText(u.Stats.Limits.Pinned))
		return
	}
	u.Marks = append(u.Marks, f)
	u.Say("marked #%d; d compares it with another, ' goes from mark to mark", f.Seq)
}

// NextMark selects the mark after the selected record.
func (u *Env) NextMark() {
	best := u.Marks[0]
	for _, m := range u.Marks {
		after := u.Sel == nil || m.Seq > u.Sel.Seq
		if after && (best.Seq <= u.selSeq() || m.Seq < best.Seq) {
			best = m
		}
	}
	u.Jump(best)
}

func (u *Env) selSeq() uint64 {
	if u.Sel == nil {
		return 0
	}
	return u.Sel.Seq
}

// Pin stays on the selected record, which from then on cannot age out.
func (u *Env) Pin() {
	u.Follow = false
	if u.Sel != nil {
		u.Log.Pin(u.Sel.Seq)
	}
}

// Choose makes f the selected request on every screen, and keeps it from ageing out.
func (u *Env) Choose(f *flow.Flow) {
	if f == nil {
		return
	}
	u.Follow = false
	u.SelectFlow(f)
	u.Log.Pin(f.Seq)
}

// Shown is the selected request, or the call of it that was opened, as it may be shown: secrets masked, unless they were asked for. nil if
// none is selected.
func (u *Env) Shown() *flow.Flow {
	if c, _ := u.Call(); c != nil {
		return c.Flow
	}
	return u.request()
}

// request is the selected request as it may be shown.
func (u *Env) request() *flow.Flow {
	if u.Sel == nil || u.Unmasked {
		return u.Sel
	}
	if u.maskedOf != u.Sel {
		u.maskedOf, u.masked = u.Sel, redact.Flow(u.Sel)
	}
	return u.masked
}

// Masked is another request as it may be shown.
func (u *Env) Masked(f *flow.Flow) *flow.Flow {
	if f == u.Sel {
		return u.request()
	}
	if u.Unmasked {
		return f
	}
	return redact.Flow(f)
}
