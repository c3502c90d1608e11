package conflicts

import (
	"fmt"

	"kubarium/analysis/conflict"
	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/redact"
	"kubarium/tui/decision"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// detail describes a clash, or a refusal by a guard.
func (x *Page) detail(l *page.LineList, r *Row) {
	cl := &r.Clash
	if !x.Env.Unmasked && redact.Keys(cl.Flow) != nil {
		l.Say(term.Dim, "Values of a Secret are not shown; :unmask shows them.")
	}
	switch {
	case r.Guard != nil:
		x.guarded(l, r)
	case cl.Kind == conflict.SilentOverwrite:
		x.overwritten(l, cl)
	case cl.Kind == conflict.ForcedOver:
		x.ownership(l, cl, object.Parse(cl.Flow.Effects[0].Before))
	case cl.Flow.Conflict == nil:
		x.told(l, cl)
	case cl.Flow.Conflict.Kind == flow.StaleRevision:
		x.stale(l, cl)
	case cl.Flow.Conflict.Kind == flow.FieldOwnership:
		x.ownership(l, cl, object.Parse(cl.Flow.Conflict.Object))
	case cl.Flow.Conflict.Kind == flow.Precondition:
		x.precondition(l, cl)
	default:
		x.exists(l, cl)
	}
}

// told is what can be said of a 409 that records nothing but its message.
func (x *Page) told(l *page.LineList, cl *conflict.Clash) {
	d := x.Env.Feed
	t := story.Teller{Wrote: func(rv int64) string { return d.Writers[rv] }, Read: d.Reader}
	for _, s := range t.Tell(cl.Flow) {
		l.Say(term.Plain, s)
	}
}

// guarded describes a request that a guard refused.
func (x *Page) guarded(l *page.LineList, r *Row) {
	x.told(l, &r.Clash)
	l.Blank()
	for _, line := range decision.Lines(x.Env.Masked(r.Flow), l.W, true) {
		l.Add(line.Line...)
	}
}

// value is a value as it may be shown in w cells; "–" for a missing one.
func (x *Page) value(f *flow.Flow, path string, v any, w int) string {
	if v == nil {
		return "–"
	}
	if !x.Env.Unmasked && redact.Field(path, redact.Keys(f)) {
		return term.Fit("•••", w)
	}
	if s := object.Text(v); s != "" {
		return term.Fit(s, w)
	}
	return `""`
}

// stale shows the three versions of a write with an old resourceVersion.
func (x *Page) stale(l *page.LineList, cl *conflict.Clash) {
	f := cl.Flow
	c := f.Conflict
	ws := x.lineages.Between(object.RefOfTarget(f.Target), c.Sent, c.Stored)
	if f.Target.Verb == "delete" {
		x.told(l, cl)
		return
	}
	w := conflict.Compare(f, lineage.WritersOf(ws))
	x.threeTable(l, f, w)
	l.Blank()
	l.Wrapped(term.Bold, "verdict  ", w.Verdict(c))
	x.after(l, w)
	for _, wr := range ws {
		l.Of(wr.Flow.Seq, term.Dim.Of(fmt.Sprintf("rv %d was written by ", wr.Effect.Commit.Revision)), term.Accent.Of(wr.Flow.Client.Tag),
			term.Dim.Of(fmt.Sprintf(", #%d %s", wr.Flow.Seq, wr.Flow.Target.Verb)))
	}
	if x.Env.ReadOnly == "" {
		l.Add(term.Key.Of("r"), term.Plain.Of(" sends it again"+term.Pick(x.Env.Moment == nil, "", " now")+": the same, with a fresh rv, or without one"))
	}
}

// after adds what the table does not say by itself.
func (x *Page) after(l *page.LineList, w *conflict.ThreeWay) {
	switch {
	case w.Lost > 0 && !w.Partial:
		l.Say(term.Plain, fmt.Sprintf("Without the check %s of the other writer would have been lost.", term.Plural(w.Lost, "change")))
	case w.Based && w.Meanwhile > 0:
		l.Say(term.Plain, "Without the check nothing would have been lost this time; the server cannot know that and refuses.")
	}
	if w.Omitted > 0 {
		l.Say(term.Dim, fmt.Sprintf("Not compared: %s that the body leaves out; it was written by hand, and defaults may fill it in.", term.Plural(w.Omitted, "field")))
	}
}

// threeTable is the table of fields in which the three versions differ.
func (x *Page) threeTable(l *page.LineList, f *flow.Flow, w *conflict.ThreeWay) {
	c := f.Conflict
	cols, by := 4, 0
	if l.W >= 96 {
		by = 14
	}
	value, share := 26, 62
	if l.W >= 180 {
		value, share = 40, 72
	}
	value = min(value, max(8, (l.W*share/100-by)/cols))
	name := l.W - by - cols*(value+1)
	head := []string{fmt.Sprintf("base %d", c.Sent), fmt.Sprintf("stored %d", c.Stored), "sent by " + f.Client.Tag, "unchecked"}
	if !w.Based {
		head[0] = "base gone"
	}
	spans := term.Line{term.Head.Of(term.Pad("field", name))}
	for _, h := range head {
		spans = append(spans, term.Head.Of(term.Pad(term.Fit(h, value), value+1)))
	}
	if by > 0 {
		spans = append(spans, term.Head.Of("who changed it"))
	}
	l.Add(spans...)
	for i := range w.Rows {
		l.Add(x.threeRow(f, &w.Rows[i], w, name, value, by)...)
	}
	if len(w.Rows) == 0 {
		l.Add(term.Dim.Of("no field differs"))
	}
}

func (x *Page) threeRow(f *flow.Flow, r *conflict.Row, w *conflict.ThreeWay, name, value, by int) term.Line {
	cell := func(v any, absent bool, mark string) string {
		s := x.value(f, r.Path, v, value-term.Text(term.Plain, mark).Width())
		if v == nil && absent {
			s = term.Pick(w.Partial, "·", "not named")
		}
		return term.Pad(s+mark, value+1)
	}
	l := term.Line{term.Name.Of(term.Pad(label.ShortPath(r.Path, name-1), name))}
	base := cell(r.Base, false, "")
	if !w.Based {
		base = term.Pad("?", value+1)
	}
	l = append(l, term.Plain.Of(base),
		term.Pick(r.Moved, term.Add, term.Plain).Of(cell(r.Stored, false, term.Pick(r.Moved, " ◀", ""))),
		term.Pick(r.Asked, term.Add, term.Plain).Of(cell(r.Sent, r.Absent, term.Pick(r.Asked, " ◀", ""))))
	switch {
	case r.Lost():
		l = append(l, term.Err.Of(cell(r.Result, false, " ✗")))
	default:
		l = append(l, term.Plain.Of(cell(r.Result, false, "")))
	}
	if by == 0 {
		return l
	}
	who := ""
	if r.Moved && r.By.Who != "" {
		who = fmt.Sprintf("%s at %d", r.By.Who, r.By.Revision)
	}
	if r.Asked {
		who += term.Pick(who != "", ", ", "") + f.Client.Tag
	}
	return append(l, term.Dim.Of(term.Fit(who, by)))
}
