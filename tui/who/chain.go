package who

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// stamp is how the times of parts are written.
const stamp = "15:04:05.000"

// whole is the width from which on the line of a write has its time in milliseconds.
const whole = 76

// of is what led to a write, nil where that is not known.
func (x *Page) of(seq uint64) *chain.Chain { return x.env.Chains.Of(seq) }

// head is the line of a write in a width: when, what, and what led to it.
func (x *Page) head(seq uint64, w int) term.Line {
	f := x.env.Log.Get(seq)
	if f == nil {
		return term.Text(term.Dim, fmt.Sprintf("#%d is no longer kept", seq))
	}
	l := term.Line{term.Dim.Of(f.Start.Format(term.Pick(w < whole, time.TimeOnly, stamp)) + "  ")}
	if f.Status >= 400 || f.Status == 0 {
		st, code := label.Code(f)
		l = append(l, st.Of(code+" "))
	}
	l = append(l, term.Write.Of(label.Verb(f.Target.Verb)+" "), term.Plain.Of(label.Target(f)+label.Where(f.Target)))
	if f.Revision > 0 && len(f.Effects) > 0 {
		l = append(l, (term.Bold | term.Version).Of(fmt.Sprintf(" %d", f.Revision)))
	}
	if c := x.of(seq); c != nil {
		l = append(l, x.reason(f, c)...)
	}
	return l
}

// reason is in a few words what led to a write.
func (x *Page) reason(f *flow.Flow, c *chain.Chain) term.Line {
	also := ""
	if n := len(c.Events) + c.More - 1; n > 0 {
		also = fmt.Sprintf(" or %d more", n)
	}
	switch {
	case len(c.Events) > 0:
		e := &c.Events[0]
		arrow := term.Pick(e.Link == chain.Time, "  ◀┄ ", "  ◀─ ")
		return term.Line{term.Dim.Of(arrow), term.Name.Of(near(f, e)),
			(term.Plain | term.Version).Of(fmt.Sprintf(" %d ", e.Revision)),
			term.Plain.Of(e.Type + " " + term.Ago(e.Before) + term.Pick(e.Link == chain.Time, " by time", "") + also)}
	case c.Retry > 0:
		return term.Line{term.Dim.Of(fmt.Sprintf("  ↻ #%d again", c.Retry))}
	case len(c.Reads) > 0:
		r := &c.Reads[len(c.Reads)-1]
		return term.Line{term.Dim.Of("  ◀─ read "),
			(term.Plain | term.Version).Of(label.Revision(r.Revision))}
	case c.Idle > 0:
		return term.Line{term.Dim.Of("  no event for " + term.Ago(c.Idle))}
	}
	return nil
}

// near names the object of an event next to a write: without its namespace where that is the same.
func near(f *flow.Flow, e *chain.Event) string {
	return named(e.Resource, term.Pick(e.Namespace == f.Target.Namespace, "", e.Namespace), e.Name)
}

// A part is one thing that led to a write, and when it was.
type part struct {
	at    time.Time
	to    link
	spans []term.Span
}

// parts are the lines of what led to a write, oldest first, and at the end what it wrote.
func (x *Page) parts(seq uint64, w int) []line {
	f, c := x.env.Log.Get(seq), x.of(seq)
	if f == nil {
		return nil
	}
	if c == nil {
		c = &chain.Chain{}
	}
	var all []part
	for i := range c.Events {
		all = append(all, x.event(f, &c.Events[i]))
	}
	for i := range c.Reads {
		all = append(all, x.read(f, &c.Reads[i]))
	}
	slices.SortStableFunc(all, func(a, b part) int { return a.at.Compare(b.at) })
	b := &builder{w: w}
	say := func(to link, text string) {
		b.item(to, "", term.Dim.Of(term.Pad("", 2+len(stamp))+"  "+text))
	}
	if c.Retry > 0 {
		say(link{seq: c.Retry}, fmt.Sprintf("↻  tries #%d again, which was refused", c.Retry))
	}
	if len(c.Events) == 0 && c.Idle > 0 {
		say(link{}, "no event about it in the "+term.Ago(c.Idle)+
			" since its last write: a timer, a resync or a retry of its own")
	}
	seen := false
	for _, p := range all {
		if p.to.watch > 0 {
			p.spans[1].Text = term.Pick(seen, "or saw ", "saw ")
			seen = true
		}
		b.item(p.to, "", append([]term.Span{term.Dim.Of("  " + p.at.Format(stamp))}, p.spans...)...)
	}
	if c.More > 0 {
		say(link{}, fmt.Sprintf("or %s that are not listed", term.Plural(c.More, "event")))
	}
	x.outcome(b, f)
	return b.out
}

// linked is in words how a part is known to belong to a write.
var linked = map[chain.Link]string{
	chain.Version: "its version was sent back", chain.Object: "the same object", chain.Owner: "its owner",
	chain.Owned: "owned by it", chain.Sibling: "of the same owner", chain.Named: "one names the other",
	chain.Time: "by time",
}

// known says how a part is known to belong to a write, and how long before it was.
func known(l chain.Link, before time.Duration) term.Span {
	return term.Dim.Of("  " + strings.ReplaceAll(linked[l], " ", firm) + ", " + term.Ago(before) + " before")
}

// arrow is solid where more is known than that one thing came before the other.
func arrow(l chain.Link) term.Span {
	if l == chain.Time {
		return term.Dim.Of(" ┄▶ ")
	}
	return term.Plain.Of(" ─▶ ")
}

// event is the part of an event that a watch was sent.
func (x *Page) event(f *flow.Flow, e *chain.Event) part {
	to := link{seq: e.By, watch: e.Watch, revision: e.Revision, tag: e.ByTag,
		object: page.Subject{Resource: e.Resource, Key: client.Key{Namespace: e.Namespace, Name: e.Name}}}
	spans := []term.Span{arrow(e.Link), term.Plain.Of("saw "), term.Name.Of(near(f, e) + " "),
		(term.Plain | term.Version).Of(fmt.Sprint(e.Revision)), term.Plain.Of(" " + e.Type)}
	if e.By > 0 {
		spans = append(spans, term.Plain.Of(" ("), term.Accent.Of(cmp.Or(e.ByTag, "?")),
			term.Plain.Of(fmt.Sprintf(" #%d)", e.By)))
	}
	if e.Client != "" && e.Client != f.Client.Tag {
		spans = append(spans, term.Dim.Of(" by the watch of "), term.Accent.Of(e.Client))
	}
	return part{e.Written, to, append(spans, known(e.Link, e.Before))}
}

// read is the part of a request that read.
func (x *Page) read(f *flow.Flow, r *chain.Read) part {
	did := term.Pick(r.Verb == "list", "listed ", "read ")
	spans := []term.Span{arrow(r.Link), term.Plain.Of(did), term.Name.Of(named(r.Resource, "", r.Name) + " "),
		(term.Plain | term.Version).Of(label.Revision(r.Revision)), term.Plain.Of(fmt.Sprintf(" (#%d)", r.Seq)),
		known(r.Link, r.Before)}
	return part{f.Start.Add(-r.Before), link{seq: r.Seq}, spans}
}

// outcome is the last part: the versions that were written, or why none was.
func (x *Page) outcome(b *builder, f *flow.Flow) {
	at := term.Dim.Of("  " + f.Start.Add(f.Duration).Format(stamp))
	st, code := label.Code(f)
	switch {
	case f.Status >= 400 || f.Status == 0:
		l := []term.Span{at, term.Plain.Of(" ─▶ refused "), st.Of(code + " " + f.Reason)}
		if f.Conflict != nil && f.Conflict.Sent > 0 {
			said := fmt.Sprintf(": it sent rv %d, stored was rv %d", f.Conflict.Sent, f.Conflict.Stored)
			l = append(l, term.Plain.Of(said))
		}
		b.item(link{seq: f.Seq}, "", l...)
	case len(f.Effects) == 0:
		b.item(link{seq: f.Seq}, "", at, term.Plain.Of(" ─▶ changed nothing"))
	}
	for i := range f.Effects[:min(mostEffects, len(f.Effects))] {
		c := f.Effects[i].Commit
		of := page.Subject{Resource: c.Resource, Key: client.Key{Namespace: c.Namespace, Name: c.Name}}
		b.item(link{object: of, revision: c.Revision}, "", at, term.Plain.Of(" ─▶ "), term.Write.Of("wrote "),
			term.Name.Of(named(c.Resource, c.Namespace, c.Name)+" "), (term.Bold | term.Version).Of(fmt.Sprint(c.Revision)))
	}
	if n := len(f.Effects) - mostEffects; n > 0 {
		b.cut(len(f.Effects), mostEffects)
	}
}

// mostEffects is how many of the versions that a request wrote have a line.
const mostEffects = 8
