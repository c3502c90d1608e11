package gate

import (
	"encoding/json"
	"fmt"
	"strings"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/flow/rule"
	"kubarium/tui/body"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// detail describes a row.
func (x *Page) detail(l *page.LineList, r *row) {
	switch {
	case r.held != nil:
		x.tellHeld(l, r.held)
	case r.rule != nil:
		x.tellRule(l, r.rule)
	case r.flow != nil || r.watch != nil:
		x.tellTouched(l, r)
	}
}

// tellHeld describes a held request: whose it is, why and for how long it is held, and what has come so far.
func (x *Page) tellHeld(l *page.LineList, h *rule.Held) {
	l.Say(term.Bold, x.heldSentence(h))
	l.Say(term.Plain, x.limits(h))
	if o := gates.Outlook(h); o != "" && h.Frame == nil {
		l.Wrapped(term.Warn, "then     ", o)
	}
	x.way(l, h)
	x.text(l, h)
}

// heldSentence is the main sentence about a held request.
func (x *Page) heldSentence(h *rule.Held) string {
	by := fmt.Sprintf("Rule %d", h.Rule)
	if a := x.Env.Gate.Rule(h.Rule); a == nil {
		by += ", which is removed,"
	} else if a.Name != "" {
		by += ", " + a.Name + ","
	}
	long := term.Ago(x.Env.Now().Sub(h.Since))
	if h.Frame != nil {
		return fmt.Sprintf("%s holds an event of the watch %d that %s has on %s, for %s: %s.", by, h.Watch, who(h), gates.Target(h), long, gates.Event(h.Frame))
	}
	return fmt.Sprintf("%s holds the %s of %s by %s before %s, for %s.", by, h.Target.Verb, gates.Target(h), who(h), h.Station, long)
}

func who(h *rule.Held) string {
	if h.Client.Tag == "" {
		return "a client"
	}
	if agent, _, _ := strings.Cut(h.Client.UserAgent, "/"); agent != "" && agent != h.Client.Tag {
		return h.Client.Tag + " (" + agent + ")"
	}
	return h.Client.Tag
}

// limits says when it goes on by itself, and what becomes of its own time.
func (x *Page) limits(h *rule.Held) string {
	s := "It stays until you let it go, or its client goes away."
	if !h.Until.IsZero() {
		s = fmt.Sprintf("It goes on by itself in %s.", term.Ago(max(0, h.Until.Sub(x.Env.Now()))))
	}
	if h.Left > 0 {
		s += fmt.Sprintf(" Its own deadline is suspended, with %s left.", term.Ago(h.Left))
	}
	return s
}

// way shows the stations of the request, with the one before which it waits.
func (x *Page) way(l *page.LineList, h *rule.Held) {
	if h.Frame != nil {
		return
	}
	names := flow.StationsOf(h.Target)
	switch {
	case x.Env.Through():
		names = flow.GatedStations
	case h.Station == flow.Proxy:
		names = flow.ProxiedStations
	}
	passed := true
	line := term.Line{term.Plain.Of("way      ")}
	for _, name := range names {
		part := term.Line{term.Dim.Of("· " + name + "  ")}
		switch {
		case name == h.Station:
			passed = false
			part = term.Line{term.Warn.Of("⏸ "), term.Bold.Of(name + "  ")}
		case passed:
			part = term.Line{term.Add.Of("✓ "), term.Plain.Of(name + "  ")}
		}
		if line.Width()+part.Width() > l.W+2 {
			l.Add(line...)
			line = term.Line{term.Plain.Of(term.Pad("", 9))}
		}
		line = append(line, part...)
	}
	l.Add(line...)
}

// text shows what may be edited: the body, the answer, or the object of an event.
func (x *Page) text(l *page.LineList, h *rule.Held) {
	if h.Edits == "" {
		return
	}
	l.Blank()
	whole := x.whole[h.ID]
	draft := x.drafts[h.ID]
	title := fmt.Sprintf("%s  %s, %s", h.Edits, term.BytesText(int64(h.Size)), h.Media)
	switch {
	case draft != nil:
		l.Add(term.Head.Of(h.Edits), term.Marked.Of("  ◆ edited: g lets it go like this, E edits again"))
		addLines(l, x.shown(h, string(draft), l.W))
	case whole == nil:
		l.Add(term.Head.Of(title))
	default:
		l.Add(term.Head.Of(title), term.Dim.Of("  E edits it"))
		addLines(l, x.shown(h, whole.Text, l.W))
	}
}

// shown is a text as it may be shown, with its secrets masked.
func (x *Page) shown(h *rule.Held, text string, w int) []term.Line {
	if !x.Env.Unmasked {
		text = redact.Text(h.Target, text)
	}
	b := []byte(text)
	if json.Valid(b) {
		return body.Lines(b, body.JSON, w)
	}
	return body.Plain(b, w)
}

// tellRule describes what a rule does, and what it has done.
func (x *Page) tellRule(l *page.LineList, a *rule.Active) {
	r, err := rule.Parse(a.Line)
	if err != nil {
		l.Say(term.Warn, "This Kubarium cannot read the rule: "+err.Error())
	} else {
		l.Say(term.Bold, r.Sentence())
	}
	l.Wrapped(term.Accent, "line     ", a.Line)
	if a.Name != "" {
		l.Wrapped(term.Plain, "name     ", a.Name+"; fault:"+a.Name+" shows what it touched")
	}
	l.Wrapped(term.Plain, "so far   ", fmt.Sprintf("met %s, acted on %s", term.Plural(a.Seen, term.Pick(err == nil && r.Frames(), "event", "request")), term.Count(a.Hits))+
		term.Pick(a.Spent, "; it is spent and acts no more", ""))
	holds := x.holds(a.ID)
	if len(holds) > 0 {
		l.Wrapped(term.Warn, "holds    ", term.Plural(len(holds), "request")+" now")
	}
	if err == nil && r.Action == rule.Hold {
		l.Blank()
		l.Say(term.Dim, "Held requests take no place among the requests in flight and do not block the writer; others pass.")
	}
}

// holds are those that a rule holds.
func (x *Page) holds(id int) (out []*rule.Held) {
	for i := range x.Env.Gate.Held {
		if h := &x.Env.Gate.Held[i]; h.Rule == id {
			out = append(out, h)
		}
	}
	return out
}

// tellTouched describes what rules did to a request, or to the events of a watch.
func (x *Page) tellTouched(l *page.LineList, r *row) {
	f := r.request()
	_, code := label.Code(f)
	head := fmt.Sprintf("%s %s %s%s", f.Client.Tag, f.Target.Verb, label.Target(f), label.Where(f.Target))
	seq := uint64(0)
	if r.flow != nil {
		seq = r.flow.Seq
		head = fmt.Sprintf("#%d %s → %s", seq, head, code)
	}
	l.Of(seq, term.Bold.Of(head))
	for i := range f.Faults {
		tellMark(l, seq, &f.Faults[i])
	}
	if f.Watch == nil {
		return
	}
	s := f.Watch.State()
	if n := int(s.Touched) - len(s.Faults); n > 0 {
		l.Say(term.Dim, fmt.Sprintf("%s were touched before these.", term.Plural(n, "event")))
	}
	for i := range s.Faults {
		tellMark(l, seq, &s.Faults[i])
	}
}

func tellMark(l *page.LineList, seq uint64, m *flow.FaultMark) {
	l.Item(seq, term.Warn.Of("ϟ "), term.Dim.Of(fmt.Sprintf("+%.3f s  ", m.At.Seconds())), term.Plain.Of(gates.Mark(m)))
	if m.Rule != "" {
		l.Wrapped(term.Dim, "    by   ", m.Rule)
	}
}

func addLines(l *page.LineList, lines []term.Line) {
	for _, s := range lines {
		l.Add(s...)
	}
}
