// Package doctor is the page of what flows tell of the mistakes of clients: findings, each with its requests, why it matters, and what to do.
package doctor

import (
	"strings"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// Page is the screen of findings, the gravest first.
type Page struct {
	env    *page.Env
	about  map[string]doctor.Rule
	reader reader
	shown  []*doctor.Finding // what the filter lets through
	hidden int               // those about Kubarium's own requests
	cursor term.List[ident]
	sheet  page.Sheet
	made   madeFinding
}

// An ident is a finding from one report to the next.
type ident struct{ rule, client, object string }

func identOf(f *doctor.Finding) ident { return ident{f.Rule, f.Client, f.Object} }

// New makes the page; it begins at the gravest finding.
func New(u *page.Env) *Page {
	x := &Page{env: u, about: map[string]doctor.Rule{}, reader: newReader(u)}
	for _, r := range doctor.Rules() {
		x.about[r.Name] = r
	}
	x.reader.reported = x.Refilter
	x.sheet = page.Sheet{Title: "finding", Words: x.Legend, Bound: x.Keys}
	return x
}

// In is the page at another moment. Its requests are read once the reader stays there, or looks.
func (x *Page) In(u *page.Env) page.Page {
	p := New(u)
	p.cursor = x.cursor.Emptied()
	p.sheet.Stand(&x.sheet)
	return p
}

// Opened reads what has waited for the page to come to the front.
func (x *Page) Opened() { x.reader.work() }

func (x *Page) Name() string       { return "findings" }
func (x *Page) Height() int        { return x.cursor.Height() }
func (x *Page) Panes() []page.Pane { return []page.Pane{x, &x.sheet} }
func (x *Page) Form() page.Form    { return page.Form{Stacked: true, Beside: 120, Two: 48} }
func (x *Page) Restless() bool     { return false }

// Fold hands what came to the doctor.
func (x *Page) Fold(flows []*flow.Flow) { x.reader.take(flows) }

// Refilter lists the findings with a request that is shown, and keeps the cursor on its finding.
func (x *Page) Refilter() {
	x.shown, x.hidden = x.shown[:0], 0
	for i := range x.reader.findings {
		f := &x.reader.findings[i]
		switch x.verdict(f) {
		case feed.Shows:
			x.shown = append(x.shown, f)
		case feed.Hides:
			x.hidden++
		}
	}
	x.cursor.Keep(len(x.shown), func(i int) ident { return identOf(x.shown[i]) })
}

// verdict is the best that one of the finding's requests gets.
func (x *Page) verdict(f *doctor.Finding) feed.Verdict {
	best := feed.Refuses
	for _, seq := range f.Records {
		if w := x.reader.witnesses[seq]; w != nil {
			best = max(best, x.env.Feed.Verdict(w))
		}
	}
	return best
}

func (x *Page) selected() *doctor.Finding {
	i := x.cursor.At()
	if i < 0 {
		return nil
	}
	return x.shown[i]
}

func (x *Page) Tab() page.Tab {
	t := page.Tab{Name: "0 Doctor", Short: "0Doc", Help: "Doctor: mistakes of clients that their requests prove, and what to do about them"}
	n := 0
	for _, f := range x.shown {
		n += term.Pick(f.Severity == doctor.Note, 0, 1)
	}
	if n > 0 {
		t.Badge = "!" + term.Count(n)
	}
	return t
}

func (x *Page) Count() page.Count {
	return page.Count{What: "finding", Shown: len(x.shown), All: len(x.reader.findings) - x.hidden, Own: x.hidden}
}

// Move selects another finding.
func (x *Page) Move(n int) { x.share(x.cursor.Move(n)) }

// End selects the first finding, or the last.
func (x *Page) End(bottom bool) { x.share(x.cursor.End(bottom)) }

// Click puts the cursor on a row.
func (x *Page) Click(i, _, y int) {
	if i == 1 {
		x.sheet.Click(y)
		return
	}
	x.share(x.cursor.Click(y - 1))
}

// share makes the most telling request of a finding that was chosen the selected one on every screen.
func (x *Page) share(chosen bool) {
	if chosen {
		x.env.Choose(x.Chosen())
	}
}

// Chosen is the most telling request of the finding that is still held, for the keys that work on a request.
func (x *Page) Chosen() *flow.Flow {
	f := x.selected()
	if f == nil {
		return nil
	}
	for _, seq := range f.Records {
		if held := x.env.Log.Get(seq); held != nil {
			return held
		}
	}
	return nil
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
