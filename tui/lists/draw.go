package lists

import (
	"fmt"

	"kubarium/server/flow/listing"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (l *Page) Title(i int) (title, note term.Line) {
	w := l.Selected()
	switch {
	case i == 0:
		return term.Text(l.env.TitleStyle(0), "lists"), term.Text(term.Dim, "a chunked list is one line, on one snapshot")
	case w == nil:
		return term.Text(term.Dim, "list"), nil
	}
	st, words := StandingWords(w.Standing(l.env.Time.Compacted))
	return term.Line{l.env.TitleStyle(1).Of(fmt.Sprintf("#%d ", w.ID)), term.Accent.Of(w.First().Flow.Client.Tag + " "), st.Of(words), term.Plain.Of(": list " + whatListed(w))}, nil
}

func (l *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	w := l.Selected()
	switch {
	case w == nil && (i == 0 || l.env.HasKeys(1)):
		l.drawEmpty(c, r)
	case w == nil:
	case i == 0:
		l.drawList(c, r)
	default:
		s := &page.LineList{W: r.W - 3}
		l.pages(s, w)
		l.sheet.Set(w.ID, s.Out)
		l.sheet.Draw(c, r, l.env.HasKeys(1), l.env.RowStyle(1))
	}
}

func (l *Page) drawEmpty(c *term.Canvas, r term.Rect) {
	if n := len(l.env.Walks.All); n > 0 && l.env.Feed.Match != nil {
		c.Line(r, 3, 1, term.Line{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", term.Plural(n, "list"))), term.Key.Of("*"), term.Bold.Of(" clears it")})
		return
	}
	for y, s := range []term.Line{
		term.Text(term.Bold, "Nothing was listed yet."),
		term.Text(term.Plain, "In another window, a list in chunks of two:"),
		term.Text(term.Accent, "  kubectl"+l.env.ServerFlag()+" get clusterroles --chunk-size=2"),
	} {
		c.Line(r, 3, 1+y, term.FitLine(s, r.W-4))
	}
	if n := len(l.env.Walks.All); n > 0 {
		c.Line(r, 3, 5, term.FitLine(term.Line{term.Dim.Of(term.Plural(n, "list") + " of Kubarium's own controllers are hidden; "), term.Key.Of("v"), term.Dim.Of(" on Traffic shows them")}, r.W-4))
	}
}

// listColumns are the widths of the columns.
type listColumns struct{ time, what, snapshot, pages, items, left, from, form, state int }

func planLists(w int) listColumns {
	p := listColumns{time: 9, snapshot: 9, pages: 6, items: 8, left: 13, from: 6, form: 9, state: 15}
	switch {
	case w < 100:
		p = listColumns{snapshot: 8, pages: 6, items: 7, left: 13, state: 15}
	case w < 120:
		p.form = 0
	}
	p.what = max(8, w-2-6-6-p.time-p.snapshot-p.pages-p.items-p.left-p.from-p.form-p.state)
	return p
}

// drawList shows one line for each walk.
func (l *Page) drawList(c *term.Canvas, r term.Rect) {
	if r.Empty() {
		return
	}
	p := planLists(r.W)
	c.Line(r, 2, 0, p.line(term.Head, "seq", "+s", term.Pad("who", 6), "what", term.Pick(p.snapshot > 8, "snapshot", "rv"), "pages", "items", "left", "from", "form", term.Head, "state"))
	l.cursor.Draw(c, r.From(1), l.env.RowStyle(0), func(row term.Rect, i int) {
		w := l.List[i]
		f := w.First().Flow
		st, state := StandingWords(w.Standing(l.env.Time.Compacted))
		c.Line(row, 2, 0, p.line(term.Plain, fmt.Sprint(w.ID), label.Seconds(f.Start.Sub(l.env.Feed.First)), term.Pad(term.Fit(f.Client.Tag, 5), 6), label.Shorter.Replace(whatListed(w)),
			label.Revision(w.First().Snapshot), fmt.Sprint(w.Pages()), term.Count(w.Items()), Remaining(w), sourceOf(w), w.Last().Form, st, state))
	})
}

// line is one row of the table.
func (p listColumns) line(st term.Style, seq, at, who, what, snapshot, pages, items, left, from, form string, last term.Style, state string) term.Line {
	dim := term.Pick(st == term.Head, term.Head, term.Dim)
	right := func(s string, w int) string {
		return term.Pick(w == 0, "", fmt.Sprintf("%*s ", max(0, w-1), term.Fit(s, w-1)))
	}
	leftward := func(s string, w int) string { return term.Pick(w == 0, "", term.Pad(term.Fit(s, w-1), w)) }
	return term.Line{dim.Of(right(seq, 6)), dim.Of(right(at, p.time)), term.Pick(st == term.Head, term.Head, term.Accent).Of(who), st.Of(leftward(what, p.what)),
		dim.Of(right(snapshot, p.snapshot)), st.Of(right(pages, p.pages)), st.Of(right(items, p.items)), st.Of(right(left, p.left)),
		dim.Of(leftward(from, p.from)), dim.Of(leftward(form, p.form)), last.Of(leftward(state, p.state))}
}

// sourceOf names where the objects of a walk came from.
func sourceOf(w *listing.Walk) string {
	cache, sql := false, false
	for i := range w.Chunks {
		cache = cache || w.Chunks[i].Source == "cache"
		sql = sql || w.Chunks[i].Source == "history"
	}
	switch {
	case cache && sql:
		return "both"
	case sql:
		return "SQL"
	}
	return "cache"
}
