package conflicts

import (
	"fmt"

	"kubarium/analysis/conflict"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

func (x *Page) heading(r *Row) term.Line {
	f := r.Flow
	return term.Line{x.Env.TitleStyle(1).Of(fmt.Sprintf("#%d ", f.Seq)), term.Accent.Of(f.Client.Tag + " "),
		term.Plain.Of(f.Target.Verb + " " + label.Target(f) + ": "), term.Warn.Of(r.Kind)}
}

// tallied says how many rows there are of each sort.
func (x *Page) tallied() string {
	n := x.count(0)
	if n == (tally{}) {
		return "409s by kind, overwrites that nothing refused, refusals by guards"
	}
	return fmt.Sprintf("%s%s, %s, %d refused by guards", term.Pick(x.gone > 0, "the last: ", ""), term.Plural(n.conflicts, "conflict"), term.Plural(n.overwrites, "overwrite"), n.guards)
}

// Draw shows the list, or the chosen clash.
func (x *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	for _, row := range x.Rows {
		x.seen = max(x.seen, row.Flow.Seq)
	}
	x.List.Draw(c, i, r)
}

// notice says that no write met another one, and how one does.
func (x *Page) notice(int) []term.Line {
	k := x.Env.Kubectl()
	return append([]term.Line{term.Text(term.Bold, "No write has met another one.")},
		x.Env.Try(", two managers that want different values", k+" create cm c --from-literal=k=1",
			"echo '{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"2\"}}' |", "   "+k+" apply --server-side -f -")...)
}

// columns describe the list of clashes.
func (x *Page) columns(int) []term.TableColumn[*Row] {
	type clash = *Row
	return []term.TableColumn[clash]{
		{Name: "seq", Width: 5, Right: true, Cell: func(c clash) term.Span { return term.Dim.Of(fmt.Sprint(c.Flow.Seq)) }},
		{Name: "+s", Width: 8, From: 97, Right: true, Cell: func(c clash) term.Span { return term.Dim.Of(label.Seconds(c.Flow.Start.Sub(x.Env.Feed.First))) }},
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
