package conflicts

import (
	"fmt"

	"kubarium/server/flow"
	"kubarium/server/flow/conflict"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

func (x *Page) Title(i int) (title, note term.Line) {
	c := x.selected()
	switch {
	case i == 0:
		return term.Text(x.env.TitleStyle(0), "conflicts"), term.Text(term.Dim, "409s by kind, and overwrites that nothing refused")
	case c == nil:
		return term.Text(term.Dim, "conflict"), nil
	}
	title = term.Line{x.env.TitleStyle(1).Of(fmt.Sprintf("#%d ", c.Flow.Seq)), term.Accent.Of(c.Flow.Client.Tag + " "), term.Plain.Of(c.Flow.Target.Verb + " " + label.Target(c.Flow) + ": "), term.Warn.Of(c.Kind)}
	return title, nil
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
		c.Line(r, 3, 1, term.Line{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", term.Plural(n, "conflict"))), term.Key.Of("*"), term.Bold.Of(" clears it")})
		return
	}
	k := "  kubectl" + x.env.ServerFlag()
	for y, l := range []term.Line{
		term.Text(term.Bold, "No write has met another one."),
		term.Text(term.Plain, "In another window, two managers that want different values:"),
		term.Text(term.Accent, k+" create cm c --from-literal=k=1"),
		term.Text(term.Accent, "  echo '{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"2\"}}' |"),
		term.Text(term.Accent, "   "+k+" apply --server-side -f -"),
	} {
		c.Line(r, 3, 1+y, term.FitLine(l, r.W-4))
	}
}

// leastTarget is the width of the target below which the code gives way.
const leastTarget = 16

// drawList shows one line for each clash.
func (x *Page) drawList(c *term.Canvas, r term.Rect) {
	wide := r.W >= 100
	target := r.W - 2 - 6 - 5 - 8 - 5 - 24 - 1
	if wide {
		target -= 9 + 20
	}
	code := 5
	if target < leastTarget { // its kind tells the code, but for those that were not refused
		target, code = target+code+2, 0
	}
	heads := term.Line{term.Head.Of(fmt.Sprintf("%5s ", "seq"))}
	if wide {
		heads = append(heads, term.Head.Of(fmt.Sprintf("%8s ", "+s")))
	}
	heads = append(heads, term.Head.Of(term.Pad("who", 5)), term.Head.Of(term.Pad("verb", 8)), term.Head.Of(term.Pad("target", target)),
		term.Head.Of(term.Pad(term.Fit("code", code), code)), term.Head.Of(term.Pad("what met", 24)))
	if wide {
		heads = append(heads, term.Head.Of("sent ≠ stored"))
	}
	c.Line(r, 2, 0, heads)
	x.tall = r.H - 1
	x.top = max(0, min(x.top, x.cursor, len(x.List)-x.tall), x.cursor-x.tall+1)
	for y := 0; y < x.tall && x.top+y < len(x.List); y++ {
		row := r.Row(y + 1)
		x.drawClash(c, row, x.List[x.top+y], target, code, wide)
		if x.top+y == x.cursor {
			c.Put(row, 0, 0, term.Bold, "▸")
			c.Restyle(row, x.env.RowStyle(0))
		}
	}
}

func (x *Page) drawClash(c *term.Canvas, r term.Rect, cl *conflict.Clash, target, codes int, wide bool) {
	f := cl.Flow
	st, code := label.Code(f)
	l := term.Line{term.Dim.Of(fmt.Sprintf("%5d ", f.Seq))}
	if wide {
		l = append(l, term.Dim.Of(fmt.Sprintf("%8s ", label.Seconds(f.Start.Sub(x.env.Feed.First)))))
	}
	name := label.Target(f)
	if cl.Met != "" {
		name += "/" + cl.Met
	}
	name += label.Extra(f)
	l = append(l, term.Accent.Of(term.Pad(term.Fit(f.Client.Tag, 4), 5)), term.Write.Of(term.Pad(label.Verb(f.Target.Verb), 8)), term.Plain.Of(term.Pad(term.Fit(name, target-1), target)),
		st.Of(term.Pad(term.Fit(code, codes), codes)), term.Pick(f.Status == 409, term.Plain, term.Warn).Of(term.Pad(term.Fit(cl.Kind, 23), 24)))
	if wide {
		l = append(l, term.Dim.Of(versionsText(cl)))
	}
	c.Line(r, 2, 0, term.FitLine(l, r.W-2))
}

// versionsText is the two versions that met, as far as the kind has them.
func versionsText(cl *conflict.Clash) string {
	c := cl.Flow.Conflict
	switch {
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
