package lists

import (
	"fmt"

	"kubarium/analysis/listing"
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
		c.Notice(r, term.Line{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", term.Plural(n, "list"))), term.Key.Of("*"), term.Bold.Of(" clears it")})
		return
	}
	c.Notice(r, append([]term.Line{term.Text(term.Bold, term.Pick(l.env.Past(), "Nothing was listed "+l.env.Since()+".", "Nothing was listed yet."))},
		l.env.Try(", a list in chunks of two", l.env.Kubectl()+" get clusterroles --chunk-size=2")...)...)
	if n := len(l.env.Walks.All); n > 0 {
		c.Line(r, 3, 5, term.FitLine(term.Line{term.Dim.Of(term.Plural(n, "list") + " of Kubarium's own controllers are hidden; "), term.Key.Of("v"), term.Dim.Of(" on Traffic shows them")}, r.W-4))
	}
}

// columns describe the list of walks; w is what they have room in.
func (l *Page) columns(w int) []term.TableColumn[*listing.Walk] {
	type walk = *listing.Walk
	compacted, wide := l.env.Time.Compacted, w >= 98
	return []term.TableColumn[walk]{
		{Name: "seq", Width: 5, Right: true, Cell: func(w walk) term.Span { return term.Dim.Of(fmt.Sprint(w.ID)) }},
		{Name: "+s", Width: 8, From: 98, Right: true, Cell: func(w walk) term.Span {
			return term.Dim.Of(label.Seconds(w.First().Flow.Start.Sub(l.env.Feed.First)))
		}},
		{Name: "who", Width: 5, Cell: func(w walk) term.Span { return term.Accent.Of(w.First().Flow.Client.Tag) }},
		{Name: "what", Least: 7, Cell: func(w walk) term.Span { return term.Plain.Of(label.Shorter.Replace(whatListed(w))) }},
		{Name: term.Pick(wide, "snapshot", "rv"), Width: term.Pick(wide, 8, 7), Right: true, Cell: func(w walk) term.Span { return term.Dim.Of(label.Revision(w.First().Snapshot)) }},
		{Name: "pages", Width: 5, Right: true, Cell: func(w walk) term.Span { return term.Plain.Of(fmt.Sprint(w.Pages())) }},
		{Name: "items", Width: term.Pick(wide, 7, 6), Right: true, Cell: func(w walk) term.Span { return term.Plain.Of(term.Count(w.Items())) }},
		{Name: "left", Width: 12, Right: true, Cell: func(w walk) term.Span { return term.Plain.Of(Remaining(w)) }},
		{Name: "from", Width: 5, From: 98, Cell: func(w walk) term.Span { return term.Dim.Of(sourceOf(w, l.env.Store())) }},
		{Name: "form", Width: 8, From: 118, Cell: func(w walk) term.Span { return term.Dim.Of(w.Last().Form) }},
		{Name: "state", Width: 14, Cell: func(w walk) term.Span {
			st, words := StandingWords(w.Standing(compacted))
			return st.Of(words)
		}},
	}
}

// drawList shows one line for each walk.
func (l *Page) drawList(c *term.Canvas, r term.Rect) {
	if r.Empty() {
		return
	}
	t := term.PlanTable(r.W-2, 1, l.columns(r.W-2), nil)
	c.Line(r, 2, 0, t.Heading())
	l.cursor.Draw(c, r.From(1), l.env.RowStyle(0), func(row term.Rect, i int) { c.Line(row, 2, 0, t.Row(l.List[i])) })
}

// sourceOf names where the objects of a walk came from.
func sourceOf(w *listing.Walk, s *label.Store) string {
	cache, store := false, false
	for i := range w.Chunks {
		cache = cache || w.Chunks[i].Source == "cache"
		store = store || w.Chunks[i].Source == "history"
	}
	switch {
	case cache && store:
		return "both"
	case store:
		return s.Tab
	}
	return "cache"
}
