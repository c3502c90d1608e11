package compare

import (
	"fmt"
	"time"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// madeRow is all that the lines of the sheet depend on.
type madeRow struct {
	of    ident
	width int
	plain bool
}

// build makes the lines about the chosen row, unless they are still right.
func (x *Page) build(w int) {
	r := x.selected()
	now := madeRow{identOf(r), w, x.env.Unmasked}
	if now == x.made && len(x.sheet.Lines) > 0 {
		return
	}
	x.made = now
	l := &page.LineList{W: w}
	l.Wrapped(term.Bold, "", x.sentence(word(r), r.Differs))
	l.Wrapped(term.Plain, "client  ", r.Client)
	x.tell(l, &x.a, r.Left, r.LeftAt)
	x.tell(l, &x.b, r.Right, r.RightAt)
	x.sheet.Set(identOf(r), l.Out)
}

func (x *Page) sentence(what, differs string) string {
	if differs != "" {
		what += ": " + differs
	}
	return "This request is " + what + "."
}

// tell adds the story of a request in one of the runs.
func (x *Page) tell(l *page.LineList, of *side, f *flow.Flow, at time.Duration) {
	l.Blank()
	head := term.Line{term.Head.Of("in " + of.letter + " "), term.Dim.Of(of.name + "  ")}
	if f == nil {
		l.Add(append(head, term.Plain.Of("– there is no such request"))...)
		return
	}
	st, code := label.Code(f)
	head = append(head, term.Plain.Of(fmt.Sprintf("#%d at +%s s, by ", f.Seq, label.Seconds(at))), term.Accent.Of(f.Client.Tag+" "), st.Of(code))
	seq := uint64(0)
	if of == &x.a {
		seq = f.Seq // enter shows it
	}
	l.Of(seq, head...)
	if !x.env.Unmasked {
		f = redact.Flow(f)
	}
	for _, line := range of.tells.Account(f, l.W) {
		l.Of(seq, line...)
	}
}
