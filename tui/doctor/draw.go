package doctor

import (
	"fmt"
	"strings"
	"time"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/term"
)

func (x *Page) heading(f *doctor.Finding) term.Line {
	st, sign := mark(f.Severity)
	return term.Line{st.Of(sign + " " + string(f.Severity) + " "), x.Env.TitleStyle(1).Of(x.about[f.Rule].Title)}
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

// columns describe the list of findings.
func (x *Page) columns(int) []term.TableColumn[*doctor.Finding] {
	type finding = *doctor.Finding
	return []term.TableColumn[finding]{
		{Name: "", Width: 1, Cell: func(f finding) term.Span {
			st, sign := mark(f.Severity)
			return st.Of(sign)
		}},
		{Name: "finding", Least: 20, Cell: func(f finding) term.Span { return term.Plain.Of(x.about[f.Rule].Title) }},
		{Name: "who", Width: 12, From: 72, Cell: func(f finding) term.Span { return term.Accent.Of(who(f)) }},
		{Name: "object", From: 50, Cell: func(f finding) term.Span { return term.Name.Of(nameFirst(f)) }},
		{Name: "×", Width: 5, Right: true, Cell: func(f finding) term.Span { return term.Bold.Of(term.Count(f.Count)) }},
	}
}

// nameFirst is a finding's object with its name first: that is what rows differ in.
func nameFirst(f *doctor.Finding) string {
	object := f.Object
	resource, name, named := strings.Cut(object, " ")
	if !named || f.Objects != nil {
		return object
	}
	namespace, name, spaced := strings.Cut(name, "/")
	if !spaced {
		return namespace + " " + resource
	}
	return name + " " + resource + " " + namespace
}

// looked is a sentence on what was looked at without a finding.
func (x *Page) looked() string {
	p := &x.reader.summary
	n, clients := p.Flows, 0
	if !x.Env.Feed.Own {
		n -= x.reader.own
	}
	for _, c := range p.Clients {
		if x.Env.Feed.Own || !(flow.Client{UserAgent: c.Name}).Own() {
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
	switch u := x.Env; {
	case u.Moment != nil:
		return "No request had ended " + u.Then() + ", so there is nothing to find."
	case u.Past():
		return "This recording has no request, so there is nothing to find."
	}
	return "No request has been read yet, so there is nothing to find."
}
