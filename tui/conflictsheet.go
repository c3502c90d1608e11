package tui

import (
	"fmt"

	"kubarium/server/flow"
	"kubarium/tui/story"
)

// build makes the lines about the chosen clash, unless they are still right.
func (x *conflicts) build(w int) {
	cl := x.selected()
	now := madeClash{cl.flow.Seq, w, x.forced, x.u.unmasked}
	if now == x.made && len(x.sheet.lines) > 0 {
		return
	}
	x.made = now
	l := &lineList{w: w}
	if !x.u.unmasked && secretKeys(cl.flow) != nil {
		l.say(sDim, "Values of a Secret are not shown; :unmask shows them.")
	}
	switch {
	case cl.kind == silentOverwrite:
		x.overwritten(l, cl)
	case cl.kind == forcedOver:
		x.ownership(l, cl, parsed(cl.flow.Effects[0].Before))
	case cl.flow.Conflict == nil:
		x.told(l, cl)
	case cl.flow.Conflict.Kind == flow.StaleRevision:
		x.stale(l, cl)
	case cl.flow.Conflict.Kind == flow.FieldOwnership:
		x.ownership(l, cl, parsed(cl.flow.Conflict.Object))
	case cl.flow.Conflict.Kind == flow.Precondition:
		x.precondition(l, cl)
	default:
		x.exists(l, cl)
	}
	x.sheet.set(cl.flow.Seq, l.out)
}

// told is what can be said of a 409 that records nothing but its message.
func (x *conflicts) told(l *lineList, cl *clash) {
	for _, s := range (story.Teller{Wrote: func(rv int64) string { return x.u.feed.writers[rv] }}).Tell(cl.flow) {
		l.say(sPlain, s)
	}
}

// value is a value as it may be shown in w cells; "–" for a missing one.
func (x *conflicts) value(f *flow.Flow, path string, v any, w int) string {
	if v == nil {
		return "–"
	}
	if keys := secretKeys(f); keys != nil && !x.u.unmasked && isMap(path) {
		return fit("•••", w)
	}
	if s := valueText(v); s != "" {
		return fit(s, w)
	}
	return `""`
}

// stale shows the three versions of a write with an old resourceVersion.
func (x *conflicts) stale(l *lineList, cl *clash) {
	f := cl.flow
	c := f.Conflict
	ws := x.lineages.between(targetRef(f.Target), c.Sent, c.Stored)
	if f.Target.Verb == "delete" {
		x.told(l, cl)
		return
	}
	w := compareThree(f, writersOf(ws))
	x.threeTable(l, f, w)
	l.blank()
	l.wrapped(sBold, "verdict  ", w.verdict(c))
	x.after(l, w)
	for _, wr := range ws {
		l.of(wr.flow.Seq, span{sDim, fmt.Sprintf("rv %d was written by ", wr.effect.Commit.Revision)}, span{sAccent, wr.flow.Client.Tag},
			span{sDim, fmt.Sprintf(", #%d %s", wr.flow.Seq, wr.flow.Target.Verb)})
	}
	l.add(span{sKey, "r"}, span{sPlain, " sends it again: the same, with a fresh rv, or without one"})
}

// after adds what the table does not say by itself.
func (x *conflicts) after(l *lineList, w *threeWay) {
	switch {
	case w.lost > 0 && !w.partial:
		l.say(sPlain, fmt.Sprintf("Without the check %s of the other writer would have been lost.", plural(w.lost, "change")))
	case w.based && w.meanwhile > 0:
		l.say(sPlain, "Without the check nothing would have been lost this time; the server cannot know that and refuses.")
	}
	if w.omitted > 0 {
		l.say(sDim, fmt.Sprintf("%s that the body leaves out are not compared: it was written by hand, and defaults may fill them.", plural(w.omitted, "field")))
	}
}

// threeTable is the table of fields in which the three versions differ.
func (x *conflicts) threeTable(l *lineList, f *flow.Flow, w *threeWay) {
	c := f.Conflict
	cols, by := 4, 0
	if l.w >= 96 {
		by = 14
	}
	value := min(26, max(8, (l.w*62/100-by)/cols))
	name := l.w - by - cols*(value+1)
	head := []string{fmt.Sprintf("base %d", c.Sent), fmt.Sprintf("stored %d", c.Stored), "sent by " + f.Client.Tag, "unchecked"}
	if !w.based {
		head[0] = "base gone"
	}
	spans := line{{sHead, pad("field", name)}}
	for _, h := range head {
		spans = append(spans, span{sHead, pad(fit(h, value), value+1)})
	}
	if by > 0 {
		spans = append(spans, span{sHead, "who changed it"})
	}
	l.add(spans...)
	for i := range w.rows {
		l.add(x.threeRow(f, &w.rows[i], w, name, value, by)...)
	}
	if len(w.rows) == 0 {
		l.add(span{sDim, "no field differs"})
	}
}

func (x *conflicts) threeRow(f *flow.Flow, r *wayRow, w *threeWay, name, value, by int) line {
	cell := func(v any, absent bool, mark string) string {
		s := x.value(f, r.path, v, value-text(sPlain, mark).width())
		if v == nil && absent {
			s = pick(w.partial, "·", "not named")
		}
		return pad(s+mark, value+1)
	}
	l := line{{sName, pad(shortPath(r.path, name-1), name)}}
	base := cell(r.base, false, "")
	if !w.based {
		base = pad("?", value+1)
	}
	l = append(l, span{sPlain, base},
		span{pick(r.moved, sAdd, sPlain), cell(r.stored, false, pick(r.moved, " ◀", ""))},
		span{pick(r.asked, sAdd, sPlain), cell(r.sent, r.absent, pick(r.asked, " ◀", ""))})
	switch {
	case r.lost():
		l = append(l, span{sErr, cell(r.result, false, " ✗")})
	default:
		l = append(l, span{sPlain, cell(r.result, false, "")})
	}
	if by == 0 {
		return l
	}
	who := ""
	if r.moved && r.by.who != "" {
		who = fmt.Sprintf("%s at %d", r.by.who, r.by.revision)
	}
	if r.asked {
		who += pick(who != "", ", ", "") + f.Client.Tag
	}
	return append(l, span{sDim, fit(who, by)})
}
