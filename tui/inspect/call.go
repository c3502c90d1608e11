package inspect

import (
	"fmt"
	"strings"

	"kubarium/flow"
	"kubarium/tui/decision"
	"kubarium/tui/page"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// decided adds the decisions on the request, and notes which lines belong to its calls.
func (in *Inspector) decided(p *term.Column, f *flow.Flow, whole bool) {
	all := decision.Lines(f, p.W, whole)
	if len(all) == 0 {
		return
	}
	p.Add(term.Head.Of("who decided"))
	for _, l := range all {
		if l.Call > 0 {
			in.calls[len(p.Lines)] = l.Call
		}
		p.More(l.Line)
	}
	p.Blank()
}

// callStory describes the call that is shown.
func (in *Inspector) callStory(p *term.Column, c *flow.Call) {
	p.Say(term.Plain, strings.Join(story.TellCall(c), " "))
	p.Blank()
	if c.Shared {
		p.Say(term.Dim, "Its bodies are those of the request itself.")
		p.Blank()
	}
	offer := func(key, what string) { p.Add(term.Key.Of("  "+term.Pad(key, 6)), term.Plain.Of(what)) }
	offer("[ ]", "Request and Response show what was sent and answered")
	if n := len(in.env.Calls()); n > 1 {
		offer("enter", fmt.Sprintf("the next of %d calls", n))
	}
	offer("esc", fmt.Sprintf("back to #%d, for which it was made", in.env.Sel.Seq))
}

// peer describes the other side: the client, or for a call the called server.
func (in *Inspector) peer(f *flow.Flow) string {
	if c, _ := in.env.Call(); c != nil && c.Flow == f {
		return "to " + c.Host
	}
	return fmt.Sprintf("from %s (%s)", f.Client.Remote, term.OrNone(f.Client.Tag))
}

// openCall shows the next of the request's calls, or the first.
func (in *Inspector) openCall() {
	_, now := in.env.Call()
	in.env.OpenCall(now%len(in.env.Calls()) + 1)
}

// enter opens a call, or on the tab SQL the plans of the statements.
func (in *Inspector) enter() {
	if in.plansHere() {
		in.togglePlans()
		return
	}
	if seq := in.reason(); seq > 0 && len(in.env.Calls()) == 0 {
		in.jump(seq)
		return
	}
	in.openCall()
}

// needsMore says why enter does nothing.
func (in *Inspector) needsMore() string {
	if in.plansHere() {
		return in.needsStatements()
	}
	return page.Unless(len(in.env.Calls()) > 0, "the server called no other server for this request"+
		term.Pick(in.env.Store().Plans, "; on the tab SQL it shows how SQLite runs each statement", ""))
}

// ClickLine opens the call of a line, counted from the tabs, or goes to the request of a part of a chain.
func (in *Inspector) ClickLine(y int) {
	if n, ok := in.calls[in.Top+y-2]; ok && y >= 2 {
		in.env.OpenCall(n)
	}
	if seq, ok := in.jumps[in.Top+y-2]; ok && y >= 2 {
		in.jump(seq)
	}
}
