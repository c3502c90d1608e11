package inspect

import (
	"fmt"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// chainOf is what led to a write; nil if that is not known.
func (in *Inspector) chainOf(f *flow.Flow) *flow.Chain {
	if f == nil {
		return nil
	}
	return in.env.Chains.Of(f.Seq)
}

// chain says what led to a write, and has a line for each event and read, which leads to its request. A link by time
// alone has a dotted arrow.
func (in *Inspector) chain(p *term.Column, f *flow.Flow) {
	c := in.chainOf(f)
	text := story.TellChain(f, c)
	if text == "" {
		return
	}
	p.Say(term.Plain, text)
	line := func(link flow.Link, what string, seq uint64) {
		arrow := "─▶ "
		if link == chain.Time {
			arrow, link = "┄▶ ", "by time"
		}
		if seq > 0 {
			in.jumps[len(p.Lines)] = seq
			what += fmt.Sprintf(" #%d", seq)
		}
		l := term.Line{term.Accent.Of("  " + arrow), term.Plain.Of(what), term.Dim.Of("  " + string(link))}
		p.More(term.FitLine(l, p.W))
	}
	for i := range c.Events {
		e := &c.Events[i]
		line(e.Link, fmt.Sprintf("%s %s/%s at %d", e.Type, e.Resource, e.Name, e.Revision), e.By)
	}
	for i := range c.Reads {
		x := &c.Reads[i]
		line(x.Link, fmt.Sprintf("%s %s %s", x.Verb, x.Resource, x.Name), x.Seq)
	}
	p.Blank()
}

// reason is the request that led to the write that is shown, 0 if there is none to go to.
func (in *Inspector) reason() uint64 {
	if call, _ := in.env.Call(); call != nil || in.Tab != TabStory {
		return 0
	}
	c := in.chainOf(in.env.Sel)
	if c == nil {
		return 0
	}
	if len(c.Events) > 0 {
		return c.Events[0].By
	}
	if n := len(c.Reads); n > 0 {
		return c.Reads[n-1].Seq
	}
	return 0
}

// jump shows a request of the chain.
func (in *Inspector) jump(seq uint64) { in.env.Jump(in.env.Log.Get(seq)) }

// needsEnter says why enter does nothing.
func (in *Inspector) needsEnter() string {
	if in.reason() > 0 {
		return ""
	}
	return in.needsMore()
}
