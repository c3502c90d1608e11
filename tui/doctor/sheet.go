package doctor

import (
	"fmt"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// firstRecords is how many requests are listed before why and advice; the others follow those.
const firstRecords = 8

// detail describes a finding.
func (x *Page) detail(l *page.LineList, f *doctor.Finding) {
	rule := x.about[f.Rule]
	l.Wrapped(term.Bold, "", f.What)
	l.Wrapped(term.Plain, term.Pad("who", 8), f.Client)
	l.Wrapped(term.Plain, term.Pad("object", 8), f.Object)
	l.Wrapped(term.Plain, term.Pad("when", 8), x.when(f))
	l.Blank()
	first := min(firstRecords, len(f.Records))
	x.records(l, f.Records[:first])
	l.Blank()
	l.Wrapped(term.Head, "why it matters  ", rule.Why)
	l.Wrapped(term.Dim, "read on  ", fmt.Sprintf("Kubernetes API Concepts, “%s”:", rule.Passage))
	l.Wrapped(term.Accent, "  ", rule.URL)
	l.Blank()
	l.Wrapped(term.Head, "what to do  ", rule.Advice)
	if rest := f.Records[first:]; len(rest) > 0 {
		l.Blank()
		l.Add(term.Head.Of("further requests"))
		x.records(l, rest)
	}
}

// when says how often something happened, in which time, and what it cost.
func (x *Page) when(f *doctor.Finding) string {
	s := fmt.Sprintf("%d times, from %s to %s", f.Count, x.after(f.First.Sub(x.Env.Feed.First).Seconds()), x.after(f.Last.Sub(x.Env.Feed.First).Seconds()))
	if f.Count == 1 {
		s = "once, at " + x.after(f.First.Sub(x.Env.Feed.First).Seconds())
	}
	if f.Cost != "" {
		s += "; cost " + f.Cost
	}
	return s
}

func (x *Page) after(seconds float64) string { return fmt.Sprintf("+%.1f s", seconds) }

// records are requests, a line for each, on which enter shows it.
func (x *Page) records(l *page.LineList, seqs []uint64) {
	for _, seq := range seqs {
		number := term.Dim.Of(fmt.Sprintf("#%-5d ", seq))
		if f := x.Env.Log.Get(seq); f != nil {
			l.Of(seq, append(term.Line{number}, x.record(f)...)...)
		} else {
			l.Add(number, term.Dim.Of("is no longer kept"))
		}
	}
}

func (x *Page) record(f *flow.Flow) term.Line {
	st, code := label.Code(f)
	return term.Line{term.Dim.Of(term.Pad(x.after(f.Start.Sub(x.Env.Feed.First).Seconds()), 10)), term.Accent.Of(term.Pad(f.Client.Tag, 5)),
		term.Plain.Of(term.Pad(label.Verb(f.Target.Verb), 7)), st.Of(code + " "), term.Plain.Of(label.Target(f) + label.Extra(f))}
}
