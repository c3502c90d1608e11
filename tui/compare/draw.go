package compare

import (
	"fmt"
	"time"

	"kubarium/analysis/compare"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// note says which runs these are.
func (x *Page) note() term.Line {
	return term.Line{term.Accent.Of("A "), term.Dim.Of(x.a.name + "  "), term.Accent.Of("B "),
		term.Dim.Of(x.b.name + "; pages 1–9 are of A")}
}

func (x *Page) heading(r *compare.Row) term.Line {
	st, sign := mark(r)
	return term.Line{st.Of(sign + " "), x.Env.TitleStyle(1).Of(word(r))}
}

// mark is the sign of a row.
func mark(r *compare.Row) (term.Style, string) {
	switch {
	case r.Kind == compare.Same:
		return term.Dim, " "
	case r.Soft != "":
		return term.Dim, "≈"
	case r.Kind == compare.OnlyLeft:
		return term.Del, "←"
	case r.Kind == compare.OnlyRight:
		return term.Add, "→"
	}
	return term.Err, "≠"
}

// word says what a row is.
func word(r *compare.Row) string {
	s := map[compare.Kind]string{compare.Same: "the same in both runs", compare.OnlyLeft: "only in run A", compare.OnlyRight: "only in run B", compare.Different: "different"}[r.Kind]
	if r.Soft != "" {
		s += ", by timing alone: " + string(r.Soft)
	}
	return s
}

// notice says why there is no row.
func (x *Page) notice(int) []term.Line {
	switch {
	case x.compared == nil:
		return []term.Line{term.Text(term.Bold, "The two runs are being compared.")}
	case len(x.compared.Rows) == 0:
		return []term.Line{term.Text(term.Bold, "Neither run has a request.")}
	}
	return []term.Line{page.Filtered(term.Plural(len(x.compared.Rows), "row"))}
}

// mostLines is how many lines the sentence above the list takes at most.
const mostLines = 3

// above says where the runs part.
func (x *Page) above(r term.Rect) []term.Line {
	said := term.WrapLines(term.Bold, x.parted(), max(10, r.W-4))
	return said[:min(len(said), mostLines, max(1, r.H/2))]
}

// parted says in a sentence where the runs part, or that they do not.
func (x *Page) parted() string {
	c := x.compared
	if c.Parted != nil {
		r := &c.Rows[c.Parted.Row]
		return fmt.Sprintf("The runs part at +%s s: %s.", label.Seconds(at(r)), c.Parted.Why)
	}
	_, soft := c.Count()
	n := 0
	for _, k := range soft {
		n += k
	}
	s := fmt.Sprintf("The runs do not part: %s of A and %d of B are the same", term.Plural(c.Left, "request"), c.Right)
	if n > 0 {
		return s + fmt.Sprintf(", but for %s by timing alone.", term.Plural(n, "difference"))
	}
	return s + "."
}

// at is when the request of a row began in its run: in A, unless it is in B alone.
func at(r *compare.Row) time.Duration {
	if r.Left == nil {
		return r.RightAt
	}
	return r.LeftAt
}

// columns describe the list of rows.
func (x *Page) columns(int) []term.TableColumn[*compare.Row] {
	type row = *compare.Row
	return []term.TableColumn[row]{
		{Name: "", Width: 1, Cell: func(r row) term.Span {
			st, sign := mark(r)
			return st.Of(sign)
		}},
		{Name: "+s", Width: 8, Right: true, Cell: func(r row) term.Span { return term.Dim.Of(label.Seconds(at(r))) }},
		{Name: "who", Width: 12, From: 100, Cell: func(r row) term.Span { return term.Accent.Of(r.Client) }},
		{Name: "A", Cells: func(r row, w int) term.Line {
			return request(r.Left, r.Kind == compare.OnlyLeft || r.Kind == compare.Different, w)
		}},
		{Name: "B", Cells: func(r row, w int) term.Line {
			return request(r.Right, r.Kind == compare.OnlyRight || r.Kind == compare.Different, w)
		}},
	}
}

// request is a request in w cells, its code at the right. One that differs is not dim.
func request(f *flow.Flow, differs bool, w int) term.Line {
	if f == nil {
		return term.Text(term.Dim, "–")
	}
	st, code := label.Code(f)
	verb := term.Pick(feed.Writes(f.Target.Verb), term.Write, term.Plain)
	if !differs {
		st, verb = term.Dim, term.Dim
	}
	room := max(1, w-4-9)
	return term.Line{verb.Of(term.Pad(label.Verb(f.Target.Verb), 8)), term.Pick(differs, term.Plain, term.Dim).Of(term.Pad(term.Fit(label.Target(f)+label.Extra(f), room), room+1)), st.Of(code)}
}
