package deletes

import (
	"fmt"
	"strings"

	"kubarium/server/flow/deletion"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (d *Page) Title(i int) (title, note term.Line) {
	x := d.Selected()
	switch {
	case i == 0:
		return term.Text(d.env.TitleStyle(0), "deletes"), term.Text(term.Dim, "◌ terminating  ✓ gone  └ deleted because of the line above")
	case x == nil:
		return term.Text(term.Dim, "deletion"), nil
	}
	st, state := d.State(x)
	return term.Line{d.env.TitleStyle(1).Of(label.Ref(x.Ref) + ": "), st.Of(state)}, nil
}

func (d *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	x := d.Selected()
	switch {
	case x == nil && (i == 0 || d.env.HasKeys(1)):
		d.drawEmpty(c, r)
	case x == nil:
	case i == 0:
		d.drawList(c, r)
	default:
		l := &page.LineList{W: r.W - 3}
		d.phases(l, x)
		d.sheet.Set(x.ID, l.Out)
		d.sheet.Draw(c, r, d.env.HasKeys(1), d.env.RowStyle(1))
	}
}

func (d *Page) drawEmpty(c *term.Canvas, r term.Rect) {
	hidden := len(d.All)
	switch {
	case hidden > 0 && d.env.Feed.Match != nil:
		c.Line(r, 3, 1, term.Line{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", term.Plural(hidden, "deletion"))), term.Key.Of("*"), term.Bold.Of(" clears it")})
		return
	case hidden > 0:
		c.Line(r, 3, 1, term.FitLine(term.Line{term.Bold.Of(term.Plural(hidden, "deletion") + " by Kubarium's own controllers alone; "), term.Key.Of("v"), term.Bold.Of(" on Traffic shows what is its own")}, r.W-4))
		return
	}
	k := "  kubectl" + d.env.ServerFlag()
	for y, l := range []term.Line{
		term.Text(term.Bold, "Nothing is terminating, and nothing was deleted since the UI started."),
		term.Text(term.Plain, "In another window, an object that a finalizer holds:"),
		term.Text(term.Accent, k+" create cm held"),
		term.Text(term.Accent, k+" patch cm held -p '{\"metadata\":{\"finalizers\":[\"example.io/backup\"]}}'"),
		term.Text(term.Accent, k+" delete cm held --wait=false"),
	} {
		c.Line(r, 3, 1+y, term.FitLine(l, r.W-4))
	}
}

// drawList shows one line for each deletion.
func (d *Page) drawList(c *term.Canvas, r term.Rect) {
	if r.Empty() {
		return
	}
	wide := r.W >= 100
	who := term.Pick(r.W >= page.SlimWidth, 12, 6)
	what := max(16, r.W-2-who-term.Pick(wide, 9+14, 0)-34)
	head := term.Line{term.Head.Of(term.Pad("who", who))}
	if wide {
		head = append(head, term.Head.Of(fmt.Sprintf("%8s ", "+s")))
	}
	head = append(head, term.Head.Of(term.Pad("object", what)), term.Head.Of(term.Pad("state", 34)))
	if wide {
		head = append(head, term.Head.Of("rv"))
	}
	c.Line(r, 2, 0, term.FitLine(head, r.W-2))
	d.cursor.Draw(c, r.From(1), d.env.RowStyle(0), func(row term.Rect, i int) {
		c.Line(row, 2, 0, term.FitLine(d.rowLine(&d.Rows[i], who, what, wide), row.W-2))
	})
}

func (d *Page) rowLine(t *deletion.Row, who, what int, wide bool) term.Line {
	x := t.Deletion
	by, at := term.Fit(x.Began.Who, who-1), label.Seconds(x.Began.At.Sub(d.env.Feed.First))
	if x.Began.Seq == 0 {
		by, at = "–", "before" // the UI began
	}
	l := term.Line{term.Accent.Of(term.Pad(by, who))}
	if wide {
		l = append(l, term.Dim.Of(fmt.Sprintf("%8s ", at)))
	}
	sign, st := "✓ ", term.Dim
	if x.Gone.Zero() {
		sign, st = "◌ ", term.Warn
	}
	tree := ""
	if t.Depth > 0 {
		tree = strings.Repeat("  ", t.Depth-1) + "└ "
	}
	more := ""
	if t.More > 0 {
		more = fmt.Sprintf(" and %s more", term.Count(t.More))
	}
	room := what - term.Text(term.Plain, tree+sign).Width()
	name := label.ObjectIn(label.CommitOf(x.Ref), room-1-term.Text(term.Plain, more).Width()) + more
	l = append(l, term.Dim.Of(tree), st.Of(sign), term.Pick(x.Gone.Zero(), term.Plain, term.Dim).Of(term.Pad(term.Fit(name, room-1), room)))
	sst, state := d.State(x)
	if t.More > 0 {
		sst, state = term.Dim, "all gone"
	}
	l = append(l, sst.Of(term.Pad(term.Fit(state, 33), 34)))
	if wide {
		rvs := fmt.Sprint(x.Began.Revision)
		if x.TwoPhase() && !x.Gone.Zero() {
			rvs += fmt.Sprintf(" → %d", x.Gone.Revision)
		}
		l = append(l, term.Dim.Of(rvs))
	}
	return l
}

// State says in a few words how far a deletion has come.
func (d *Page) State(x *deletion.Deletion) (term.Style, string) {
	now := d.env.Now()
	switch n := x.Held(); {
	case !x.Gone.Zero() && !x.TwoPhase():
		return term.Dim, "gone at once"
	case !x.Gone.Zero():
		return term.Dim, "gone after " + term.Ago(x.Took(now))
	case n == 0 && x.Grace > 0:
		return term.Warn, fmt.Sprintf("grace of %d s, for %s", x.Grace, term.Ago(x.Took(now)))
	case len(x.Holds) > 0:
		return term.Warn, fmt.Sprintf("held by %d of %s, %s", n, term.Plural(len(x.Holds), "finalizer"), term.Ago(x.Took(now)))
	}
	return term.Warn, "terminating for " + term.Ago(x.Took(now))
}
