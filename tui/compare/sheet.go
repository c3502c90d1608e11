package compare

import (
	"fmt"
	"time"

	"kubarium/analysis/compare"
	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// detail describes a request in both runs.
func (x *Page) detail(l *page.LineList, r *compare.Row) {
	l.Wrapped(term.Bold, "", is(word(r), r.Differs))
	l.Wrapped(term.Plain, "client  ", r.Client)
	x.tell(l, &x.a, r.Left, r.LeftAt)
	x.tell(l, &x.b, r.Right, r.RightAt)
}

func is(what, differs string) string {
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
	if !x.Env.Unmasked {
		f = redact.Flow(f)
	}
	for _, line := range of.tells.Account(f, l.W) {
		l.Of(seq, line...)
	}
}
