package doctor

import (
	"fmt"
	"time"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/term"
)

func (x *Page) Title(i int) (title, note term.Line) {
	f := x.selected()
	switch {
	case i == 0:
		return term.Text(x.env.TitleStyle(0), "findings"), term.Text(term.Dim, "what requests prove of their clients")
	case f == nil:
		return term.Text(term.Dim, "finding"), nil
	}
	st, sign := mark(f.Severity)
	return term.Line{st.Of(sign + " " + string(f.Severity) + " "), x.env.TitleStyle(1).Of(x.about[f.Rule].Title)}, nil
}

// mark is the sign of a severity.
func mark(s doctor.Severity) (term.Style, string) {
	switch s {
	case doctor.Error:
		return term.Err, "✗"
	case doctor.Warning:
		return term.Warn, "!"
	}
	return term.Dim, "·"
}

// Draw shows the list, or the chosen finding.
func (x *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	switch {
	case len(x.shown) == 0 && (i == 0 || x.env.HasKeys(1)):
		c.Notice(r, x.nothing(r.W-6)...)
	case len(x.shown) == 0:
	case i == 0:
		x.drawList(c, r)
	default:
		x.build(r.W - 3)
		x.sheet.Draw(c, r, x.env.HasKeys(1), x.env.RowStyle(1))
	}
}

// columns describe the list of findings.
func (x *Page) columns() []term.TableColumn[*doctor.Finding] {
	type finding = *doctor.Finding
	return []term.TableColumn[finding]{
		{Name: "", Width: 1, Cell: func(f finding) term.Span {
			st, sign := mark(f.Severity)
			return st.Of(sign)
		}},
		{Name: "finding", Least: 20, Cell: func(f finding) term.Span { return term.Plain.Of(x.about[f.Rule].Title) }},
		{Name: "who", Width: 12, From: 72, Cell: func(f finding) term.Span { return term.Accent.Of(who(f)) }},
		{Name: "object", From: 50, Cell: func(f finding) term.Span { return term.Name.Of(f.Object) }},
		{Name: "×", Width: 5, Right: true, Cell: func(f finding) term.Span { return term.Bold.Of(term.Count(f.Count)) }},
	}
}

// drawList shows one line for each finding.
func (x *Page) drawList(c *term.Canvas, r term.Rect) {
	t := term.PlanTable(r.W-2, 1, x.columns(), nil)
	c.Line(r, 2, 0, t.Heading())
	x.cursor.Draw(c, r.From(1), x.env.RowStyle(0), func(row term.Rect, i int) { c.Line(row, 2, 0, t.Row(x.shown[i])) })
}

// nothing says on what there is nothing to tell.
func (x *Page) nothing(w int) []term.Line {
	if n := len(x.reader.findings) - x.hidden; n > 0 && x.env.Feed.Match != nil {
		return []term.Line{{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", term.Plural(n, "finding"))), term.Key.Of("*"), term.Bold.Of(" clears it")}}
	}
	return term.WrapLines(term.Bold, x.looked(), max(10, w))
}

// looked is a sentence on what was looked at without a finding.
func (x *Page) looked() string {
	p := &x.reader.summary
	n, clients := p.Flows, 0
	if !x.env.Feed.Own {
		n -= x.reader.own
	}
	for _, c := range p.Clients {
		if x.env.Feed.Own || !(flow.Client{UserAgent: c.Name}).Own() {
			clients++
		}
	}
	s := fmt.Sprintf("%s of %s were read", term.Plural(n, "request"), term.Plural(clients, "client"))
	switch {
	case n == 0:
		return x.noneText()
	case n == 1:
		s = "1 request was read"
	}
	s += fmt.Sprintf(", %s: none of the mistakes that are looked for is in them.", span(p.To.Sub(p.From)))
	if p.Missed > 0 {
		s += fmt.Sprintf(" %s more of the run %s not known.", term.Count(p.Missed), term.Pick(p.Missed == 1, "is", "are"))
	}
	return s
}

// span says how long a time was.
func span(d time.Duration) string {
	if d < time.Second {
		return "within a second"
	}
	return "in " + d.Round(time.Second).String()
}

// noneText says that no request was read, and where that is so.
func (x *Page) noneText() string {
	switch u := x.env; {
	case u.Moment != nil:
		return "No request had ended " + u.Then() + ", so there is nothing to find."
	case u.Past():
		return "This recording has no request, so there is nothing to find."
	}
	return "No request has been read yet, so there is nothing to find."
}
