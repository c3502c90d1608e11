package page

import (
	"slices"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/term"
)

// SelectFlow selects a request on every page; nil selects none.
func (e *Env) SelectFlow(f *flow.Flow) {
	if f == e.Sel {
		return
	}
	before := e.Sel
	if before != nil {
		defer e.release(before.Seq)
	}
	e.Sel, e.call = f, 0
	if f != nil && !e.Follow {
		e.Log.Pin(f.Seq)
	}
	for _, told := range e.OnSelect {
		told()
	}
	e.Dirty = true
}

// release lets a request age out unless it is selected, marked or kept.
func (e *Env) release(seq uint64) {
	marked := slices.ContainsFunc(e.Marks, func(m *flow.Flow) bool { return m.Seq == seq })
	if e.selSeq() != seq && !marked && !e.keeps(seq) {
		e.Log.Unpin(seq)
	}
}

func (e *Env) keeps(seq uint64) bool {
	for _, seqs := range e.kept {
		if seqs[seq] {
			return true
		}
	}
	return false
}

// keepShare is the part of the memory of pins that one owner may have: the rest is for marks and other owners.
const keepShare = 4

// KeepFlows keeps these requests from ageing out, and those that the owner named before no more. Where they take more than
// the owner's share of memory, the newest stay.
func (e *Env) KeepFlows(owner string, seqs []uint64) {
	now, room := map[uint64]bool{}, e.Log.Stats().Limits.Pinned/keepShare
	seqs = slices.Sorted(slices.Values(seqs))
	for _, seq := range slices.Backward(seqs) {
		f := e.Log.Get(seq)
		if f == nil || now[seq] {
			continue
		}
		if room -= f.Memory(); room < 0 {
			break
		}
		now[seq] = true
	}
	before := e.kept[owner]
	if e.kept == nil {
		e.kept = map[string]map[uint64]bool{}
	}
	e.kept[owner] = now
	for seq := range before {
		if !now[seq] {
			e.release(seq)
		}
	}
	for seq := range now {
		e.Log.Pin(seq)
	}
}

// Marked reports whether a record is one of the marked ones.
func (e *Env) Marked(f *flow.Flow) bool {
	for _, m := range e.Marks {
		if m == f {
			return true
		}
	}
	return false
}

// ToggleMark pins the selected record until it is unmarked.
func (e *Env) ToggleMark() {
	f := e.Sel
	for i, m := range e.Marks {
		if m == f {
			e.Marks = append(e.Marks[:i:i], e.Marks[i+1:]...)
			e.release(f.Seq)
			e.Say("unmarked #%d", f.Seq)
			return
		}
	}
	if !e.Log.Pin(f.Seq) {
		e.Say("cannot mark #%d: marked records already hold %s", f.Seq, term.BytesText(e.Stats.Limits.Pinned))
		return
	}
	e.Marks = append(e.Marks, f)
	e.Say("marked #%d; m on another request compares the two", f.Seq)
}

// AskCompare marks the selected record, or takes its mark away; where another one is marked, it asks first.
func (e *Env) AskCompare() {
	other := e.OtherMark()
	if other == nil {
		e.ToggleMark()
		return
	}
	mark := e.F("mark #%d as well", e.Sel.Seq)
	if e.Marked(e.Sel) {
		mark = e.F("take the mark from #%d", e.Sel.Seq)
	}
	e.Over = &term.Menu{Title: "Compare requests", Items: []term.Item{
		{Key: "d", Label: e.F("compare #%d with #%d, which is marked", e.Sel.Seq, other.Seq), Do: e.Compare},
		{Key: "m", Label: mark, Do: e.ToggleMark},
		{Key: "'", Label: "go to the next marked request", Do: e.NextMark},
	}}
}

// NextMark selects the mark after the selected record.
func (e *Env) NextMark() {
	best := e.Marks[0]
	for _, m := range e.Marks {
		after := e.Sel == nil || m.Seq > e.Sel.Seq
		if after && (best.Seq <= e.selSeq() || m.Seq < best.Seq) {
			best = m
		}
	}
	e.Jump(best)
}

func (e *Env) selSeq() uint64 {
	if e.Sel == nil {
		return 0
	}
	return e.Sel.Seq
}

// Pin keeps the selected record selected; it cannot age out then.
func (e *Env) Pin() {
	e.Follow = false
	if e.Sel != nil {
		e.Log.Pin(e.Sel.Seq)
	}
}

// Choose makes f the selected request on every screen, and keeps it from ageing out.
func (e *Env) Choose(f *flow.Flow) {
	if f == nil {
		return
	}
	e.Follow = false
	e.SelectFlow(f)
	e.Log.Pin(f.Seq)
}

// Shown is the selected request, or the call of it that was opened, as it may be shown: secrets masked, unless they
// were asked for. nil if none is selected.
func (e *Env) Shown() *flow.Flow {
	if c, _ := e.Call(); c != nil {
		return c.Flow
	}
	return e.request()
}

// request is the selected request as it may be shown.
func (e *Env) request() *flow.Flow {
	if e.Sel == nil || e.Unmasked {
		return e.Sel
	}
	if e.maskedOf != e.Sel {
		e.maskedOf, e.masked = e.Sel, redact.Flow(e.Sel)
	}
	return e.masked
}

// Masked is another request as it may be shown.
func (e *Env) Masked(f *flow.Flow) *flow.Flow {
	if f == e.Sel {
		return e.request()
	}
	if e.Unmasked {
		return f
	}
	return redact.Flow(f)
}
