package who

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// facts is the pane of what the client is, waits for, and did.
type facts struct {
	x      *Page
	lines  []line
	cursor term.List[string]
}

func (p *facts) Name() string { return "client" }
func (p *facts) Height() int  { return p.cursor.Height() }
func (p *facts) Move(n int)   { p.x.follows = false; p.cursor.Move(n) }

func (p *facts) End(bottom bool) { p.x.follows = false; p.cursor.End(bottom) }

func (p *facts) link() link {
	if i := p.cursor.At(); i >= 0 && i < len(p.lines) {
		return p.lines[i].link
	}
	return link{}
}

func (p *facts) Keys() []page.Binding {
	return append([]page.Binding{
		{Keys: []string{"enter"}, Hint: "open", Off: p.needsLink, Do: func() { p.x.follow(p.link()) },
			Help: "show what this line is about: the request, the watch, or the finding"},
	}, p.x.clientKeys()...)
}

func (p *facts) needsLink() string {
	return page.Unless(p.link().leads(), "this line is about no request and no watch")
}

func (p *facts) Legend() []string {
	return []string{
		"Everything about one client. At the top: who it is, and what it waits for, the gravest first. ✗ keeps it from " +
			"going on, ! delays it, · is as it should be.",
		"Below: its watches with the last event and what they have not been sent yet, what it read and wrote last of each " +
			"object, what it sent again with the time between two tries, what it was refused, and what doctor finds.",
		"enter shows the request or the watch of a line. i on any row of another page shows the client of that row; " +
			"esc goes back there. ] and [ go through all clients.",
		"A client is one value of who: one run of kubectl, or all that sends the same User-Agent. A watch may be " +
			"that of another part of the same program, which says so.",
	}
}

// make makes the lines.
func (p *facts) make(w int) {
	b := &builder{w: w}
	x := p.x
	if c := x.client; c != nil {
		x.identity(b)
		x.waits(b)
		x.watches(b)
		x.objects(b)
		x.retries(b)
		x.refusals(b)
		x.findings(b)
	}
	p.lines = b.out
	p.cursor.Keep(len(p.lines), func(i int) string { return p.lines[i].key })
}

func (p *facts) draw(c *term.Canvas, r term.Rect) {
	x := p.x
	x.renew(max(20, r.W-3))
	if x.client == nil {
		c.Notice(r, x.none(max(10, r.W-5))...)
		return
	}
	width := func(i int) int { return 2 + p.lines[i].Width() }
	st := term.Pick(x.env.HasKeys(0), x.env.RowStyle(0), term.Plain)
	p.cursor.DrawMore(c, r, st, width, func(row term.Rect, i int) {
		c.Line(row, 2, 0, term.FitLine(p.lines[i].Line, r.W-3))
	})
}

// none says why no client is shown.
func (x *Page) none(w int) []term.Line {
	why := x.env.T("No client has sent a request yet.")
	switch {
	case x.tag != "":
		why = x.env.F("Nothing of %s is known any more.", x.tag)
	case x.output != nil && !x.output.ended():
		why = x.env.F("waiting for the first request of `%s`", x.output.of.Line)
	case x.output != nil:
		why = x.env.F("`%s` sent no request.", x.output.of.Line)
	case x.env.Past():
		why = x.env.T("No client had sent a request.")
	default:
		return append(term.WrapLines(term.Bold, why, w), x.env.Try("", x.env.Kubectl()+" get pods")...)
	}
	return term.WrapLines(term.Bold, why, w)
}
