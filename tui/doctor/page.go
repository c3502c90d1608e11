// Package doctor is the page of the mistakes of clients that flows prove: findings, each with its requests, why it
// matters, and what to do.
package doctor

import (
	"fmt"
	"strings"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of findings, the gravest first.
type Page struct {
	page.List[doctor.Finding, ident]
	about  map[string]doctor.Rule
	reader *reader
	hidden int // findings about Kubarium's own requests
}

// An ident is a finding from one report to the next.
type ident struct{ rule, client, object string }

// New makes the page; it begins at the gravest finding.
func New(e *page.Env) *Page {
	x := &Page{about: map[string]doctor.Rule{}, reader: newReader(e)}
	for _, r := range doctor.Rules() {
		x.about[r.Name] = r
	}
	x.reader.reported = x.Refilter
	e.Found = x.found
	x.List = page.NewList(e, page.ListSpec[doctor.Finding, ident]{
		Name: "findings", Row: "finding", Form: page.Form{Stacked: true, Beside: 120, Two: 48}, Legend: legend(),
		Key:     func(f *doctor.Finding) ident { return ident{f.Rule, f.Client, f.Object} },
		Request: x.evidence,
		All:     func() int { return len(x.reader.findings) - x.hidden },
		Note:    func() term.Line { return term.Text(term.Dim, "what requests prove of their clients") },
		Columns: x.columns, Heading: x.heading, Detail: x.detail,
		Depends: func(f *doctor.Finding) any { return f }, // of another report it is another one
		Word:    "doctor", Sentence: x.sentence, Nothing: x.looked, Update: x.reader.now,
	})
	return x
}

// In is the page at another moment. Its requests are read once the reader stays there, or looks.
func (x *Page) In(e *page.Env) page.Page {
	p := New(e)
	p.TakePlace(&x.List)
	return p
}

// Opened reads what has waited for the page to come to the front.
func (x *Page) Opened() { x.reader.Work() }

// Fold hands what came to the doctor.
func (x *Page) Fold(flows []*flow.Flow) { x.reader.Take(flows) }

// found is the last report; in plain mode that of all that has come.
func (x *Page) found() *doctor.Report {
	if x.Env.InWords {
		x.reader.now()
	}
	p := x.reader.summary
	p.Findings = x.reader.findings
	return &p
}

// Refilter lists the findings with a request that is shown, and keeps the cursor on its finding.
func (x *Page) Refilter() {
	rows := x.Rows[:0]
	x.hidden = 0
	for i := range x.reader.findings {
		f := &x.reader.findings[i]
		switch x.verdict(f) {
		case feed.Shows:
			rows = append(rows, f)
		case feed.Hides:
			x.hidden++
		}
	}
	x.Set(rows)
}

// verdict is the best that one of the finding's requests gets.
func (x *Page) verdict(f *doctor.Finding) feed.Verdict {
	best := feed.Refuses
	for _, seq := range f.Records {
		if w := x.reader.witnesses[seq]; w != nil {
			best = max(best, x.Env.Feed.Verdict(w))
		}
	}
	return best
}

func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "0 Doctor", Short: "0Doc", Help: "Doctor: what clients do wrong, as their requests show, and what to do about it"}
	n := 0
	for _, f := range x.Rows {
		n += term.Pick(f.Severity == doctor.Note, 0, 1)
	}
	if n > 0 {
		t.Badge = "!" + term.Count(n)
		t.Means = t.Badge + ": so many findings are mistakes; notes are not counted."
	}
	return t
}

func (x *Page) Count() page.Count {
	c := x.List.Count()
	c.Own = x.hidden
	return c
}

// evidence is the first request of a finding that is still held, for the keys that work on a request.
func (x *Page) evidence(f *doctor.Finding) *flow.Flow {
	for _, seq := range f.Records {
		if held := x.Env.Log.Get(seq); held != nil {
			return held
		}
	}
	return nil
}

func (x *Page) sentence(f *doctor.Finding) string {
	return fmt.Sprintf("%s, %s: %s", f.Severity, x.about[f.Rule].Title, f.What)
}

// who is the client of a finding in short: its program, and the field manager if that has another name.
func who(f *doctor.Finding) string {
	s := f.Client
	manager := ""
	if i := strings.LastIndex(s, " as "); i > 0 {
		s, manager = s[:i], s[i:]
	}
	s, _, _ = strings.Cut(s, "/")
	return s + manager
}

func legend() []string {
	return []string{
		"Each line is a finding: what a client did that its author should know of, as its requests prove it. ✗ is an " +
			"error, ! a warning, · a note that is often meant so. × counts how often it happened.",
		"Beside or below it: what happened in one sentence, the requests (enter shows one in Traffic), why it " +
			"matters with the passage of the page Kubernetes API Concepts, and what to do.",
		"The gravest and dearest findings come first. Findings are shown as long as the filter lets one of their " +
			"requests through. The badge counts errors and warnings.",
		"A finding needs requests that prove it. Where requests are no longer kept, there may be fewer findings.",
	}
}

// Whose is the client of the finding under the cursor.
func (x *Page) Whose() (tag, why string) {
	f := x.Selected()
	if f == nil {
		return "", x.Env.T("there is no finding under the cursor")
	}
	for _, seq := range f.Records {
		if held := x.Env.Log.Get(seq); held != nil {
			return held.Client.Tag, ""
		}
		if w := x.reader.witnesses[seq]; w != nil {
			return w.Client.Tag, ""
		}
	}
	return "", x.Env.T("no request of this finding is kept any more")
}
