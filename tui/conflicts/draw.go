package conflicts

import (
	"fmt"

	"kubarium/analysis/conflict"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

func (x *Page) Title(i int) (title, note term.Line) {
	c := x.selected()
	switch {
	case i == 0:
		return term.Text(x.env.TitleStyle(0), "conflicts"), term.Text(term.Dim, x.tallied())
	case c == nil:
		return term.Text(term.Dim, "conflict"), nil
	}
	title = term.Line{x.env.TitleStyle(1).Of(fmt.Sprintf("#%d ", c.Flow.Seq)), term.Accent.Of(c.Flow.Client.Tag + " "), term.Plain.Of(c.Flow.Target.Verb + " " + label.Target(c.Flow) + ": "), term.Warn.Of(c.Kind)}
	return title, nil
}

// tallied says how many rows there are of each sort.
func (x *Page) tallied() string {
	n := x.count(0)
	if n == (tally{}) {
		return "409s by kind, overwrites that nothing refused, refusals by guards"
	}
	return fmt.Sprintf("%s, %s, %d refused by guards", term.Plural(n.conflicts, "conflict"), term.Plural(n.overwrites, "overwrite"), n.guards)
}

// Draw shows the list, or the chosen clash.
func (x *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	for _, cl := range x.List {
		x.seen = max(x.seen, cl.Flow.Seq)
	}
	switch {
	case len(x.List) == 0 && (i == 0 || x.env.HasKeys(1)):
		x.drawEmpty(c, r)
	case len(x.List) == 0:
	case i == 0:
		x.drawList(c, r)
	default:
		x.build(r.W - 3)
		x.sheet.Draw(c, r, x.env.HasKeys(1), x.env.RowStyle(1))
	}
}

func (x *Page) drawEmpty(c *term.Canvas, r term.Rect) {
	if n := len(x.all); n > 0 && x.env.Feed.Match != nil {
		c.Notice(r, term.Line{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", term.Plural(n, "conflict"))), term.Key.Of("*"), term.Bold.Of(" clears it")})
		return
	}
	k := x.env.Kubectl()
	c.Notice(r, append([]term.Line{term.Text(term.Bold, "No write has met another one.")},
		x.env.Try(", two managers that want different values", k+" create cm c --from-literal=k=1",
			"echo '{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"2\"}}' |", "   "+k+" apply --server-side -f -")...)...)
}

// columns describe the list of clashes.
func (x *Page) columns() []term.TableColumn[*Row] {
	type clash = *Row
	return []term.TableColumn[clash]{
		{Name: "seq", Width: 5, Right: true, Cell: func(c clash) term.Span { return term.Dim.Of(fmt.Sprint(c.Flow.Seq)) }},
		{Name: "+s", Width: 8, From: 97, Right: true, Cell: func(c clash) term.Span { return term.Dim.Of(label.Seconds(c.Flow.Start.Sub(x.env.Feed.First))) }},
		{Name: "who", Width: 4, Cell: func(c clash) term.Span { return term.Accent.Of(c.Flow.Client.Tag) }},
		{Name: "verb", Width: 7, Cell: func(c clash) term.Span { return term.Write.Of(label.Verb(c.Flow.Target.Verb)) }},
		{Name: "target", Cell: func(c clash) term.Span { return term.Plain.Of(targetText(c)) }},
		{Name: "code", Width: 4, From: 63, Cell: func(c clash) term.Span {
			st, code := label.Code(c.Flow)
			return st.Of(code)
		}},
		{Name: "what met", Width: 22, Cell: func(c clash) term.Span { return kindStyle(c).Of(c.Kind) }},
		{Name: "sent ≠ stored", Width: 19, From: 97, Cell: func(c clash) term.Span { return term.Dim.Of(versionsText(c)) }},
	}
}

// kindStyle sets off what nothing refused, and what is no conflict.
func kindStyle(r *Row) term.Style {
	switch {
	case r.Guard != nil:
		return term.Err
	case r.Flow.Status == 409:
		return term.Plain
	}
	return term.Warn
}

// drawList shows one line for each clash.
func (x *Page) drawList(c *term.Canvas, r term.Rect) {
	t := term.PlanTable(r.W-2, 1, x.columns(), nil)
	c.Line(r, 2, 0, t.Heading())
	x.cursor.Draw(c, r.From(1), x.env.RowStyle(0), func(row term.Rect, i int) { c.Line(row, 2, 0, t.Row(x.List[i])) })
}

// targetText is what the write was of, with the object that it met.
func targetText(c *Row) string {
	name := label.Target(c.Flow)
	if c.Met != "" {
		name += "/" + c.Met
	}
	return name + label.Extra(c.Flow)
}

// versionsText is the two versions that met, as far as the kind has them.
func versionsText(cl *Row) string {
	c := cl.Flow.Conflict
	switch {
	case cl.Guard != nil:
		return "at " + cl.Guard.Station
	case cl.Kind == conflict.SilentOverwrite:
		return "no rv sent"
	case c == nil || c.Stored == 0:
		return "–"
	case c.Kind == flow.StaleRevision:
		return fmt.Sprintf("%d ≠ %d", c.Sent, c.Stored)
	case c.Kind == flow.FieldOwnership:
		return term.Plural(len(c.Causes), "field")
	}
	return fmt.Sprintf("stored at %d", c.Stored)
}
