package traffic

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// A column of the request list. It is shown from a width of the list on; the one without a width takes what is left.
type column struct {
	name  string
	width int
	need  int // the least width of the list
	left  bool
	cell  func(t *Page, i int) (term.Style, string)
}

var columns = []column{
	{name: "seq", width: 5, need: 50, cell: (*Page).seqCell},
	{name: "+s", width: 8, need: 66, cell: (*Page).timeCell},
	{name: "who", width: 4, need: 50, left: true, cell: (*Page).whoCell},
	{name: "verb", width: 7, left: true, cell: (*Page).verbCell},
	{name: "target", left: true},
	{name: "code", width: 4, left: true, cell: (*Page).codeCell},
	{name: "ms", width: 5, need: 44, cell: (*Page).msCell},
	{name: "rv", width: 6, need: 60, cell: (*Page).rvCell},
}

// plan chooses the columns for a width and gives the target column the rest. digits is the length of the newest number.
func plan(width, digits int, alone bool) []column {
	var out []column
	left, target := width-2, 0
	for _, c := range columns {
		if width < c.need || c.name == "+s" && alone && width < 90 {
			continue
		}
		if c.name == "seq" {
			c.width = max(c.width, digits)
		}
		if c.name == "target" {
			target = len(out)
		}
		out = append(out, c)
		left -= c.width + 1
	}
	out[target].width = max(1, left)
	return out
}

// drawList shows the list with its headings.
func (t *Page) drawList(c *term.Canvas, r term.Rect) {
	t.openWatches = false
	cols := plan(r.W, len(fmt.Sprint(t.env.Seq)), t.env.Columns == 1)
	t.heading(c, r, cols)
	body := r.From(1)
	if len(t.Rows) == 0 {
		t.drawEmpty(c, body)
		return
	}
	t.cursor.Draw(c, body, t.env.RowStyle(0), func(row term.Rect, i int) { t.drawRow(c, row, cols, i) })
}

func (t *Page) heading(c *term.Canvas, r term.Rect, cols []column) {
	x := 2
	for _, col := range cols {
		name := col.name
		if name == "+s" {
			name = [...]string{"+s", "time", "Δ s"}[t.clock]
			if t.clock == sincePrevious {
				name = "step s"
			}
		}
		if col.name == "target" && !col.left || !col.left {
			c.Right(r, x+col.width, 0, term.Head, name)
		} else {
			c.Put(r, x, 0, term.Head, name)
		}
		x += col.width + 1
	}
}

func (t *Page) drawRow(c *term.Canvas, r term.Rect, cols []column, i int) {
	f := t.Rows[i]
	of := t.runs.of(f)
	t.drawSign(c, r, f, of)
	x := 2
	for _, col := range cols {
		if of != nil && !of.open && t.drawRunCell(c, term.Rect{X: r.X + x, Y: r.Y, W: col.width, H: 1}, col, of) {
			x += col.width + 1
			continue
		}
		if col.cell == nil {
			t.drawTarget(c, term.Rect{X: r.X + x, Y: r.Y, W: col.width, H: 1}, f)
		} else if st, s := col.cell(t, i); col.left {
			c.Put(term.Rect{X: r.X + x, Y: r.Y, W: col.width, H: 1}, 0, 0, st, term.Fit(s, col.width))
		} else {
			c.Right(term.Rect{X: r.X + x, Y: r.Y, W: col.width, H: 1}, col.width, 0, st, s)
		}
		x += col.width + 1
	}
}

// drawSign shows before a row whether it is marked, or what part of a kubectl run it is.
func (t *Page) drawSign(c *term.Canvas, r term.Rect, f *flow.Flow, of *run) {
	switch {
	case t.env.Marked(f):
		c.Put(r, 1, 0, term.Marked, "◆")
	case of == nil:
	case !of.open:
		c.Put(r, 1, 0, term.Key, "+")
	case f == of.head():
		c.Put(r, 1, 0, term.Dim, "┌")
	default:
		c.Put(r, 1, 0, term.Dim, "│")
	}
}

// drawRunCell shows what a folded run says in a column, and reports false where it says what its first request does.
func (t *Page) drawRunCell(c *term.Canvas, r term.Rect, col column, of *run) bool {
	switch col.name {
	case "verb": // the run's text takes this column as well
	case "target":
		verb := columns[3].width + 1
		c.Put(term.Rect{X: r.X - verb, Y: r.Y, W: r.W + verb, H: 1}, 0, 0, term.Bold, term.Fit(of.text(), r.W+verb))
	case "code":
		st, s := label.Code(of.worst())
		c.Put(r, 0, 0, st, term.Fit(s, r.W))
	case "ms":
		c.Right(r, r.W, 0, term.Plain, runMillis(of.took()))
	case "rv":
		c.Right(r, r.W, 0, term.Pick(of.revision() > 0, term.Bold, term.Dim), label.Revision(of.revision()))
	default:
		return false
	}
	return true
}

// runMillis is the time of a run or a watch in the few cells of a column for milliseconds; a long one has its unit.
func runMillis(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return term.Millis(d)
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 100*time.Minute:
		return fmt.Sprintf("%dmin", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

func (t *Page) seqCell(i int) (term.Style, string) { return term.Dim, fmt.Sprint(t.Rows[i].Seq) }

func (t *Page) timeCell(i int) (term.Style, string) {
	f := t.Rows[i]
	switch t.clock {
	case timeOfDay:
		return term.Dim, f.Start.Format("15:04:05") // to the second: the column is as wide as that
	case sincePrevious:
		if i == 0 {
			return term.Dim, "–"
		}
		return term.Dim, label.Seconds(f.Start.Sub(t.Rows[i-1].Start))
	}
	return term.Dim, label.Seconds(f.Start.Sub(t.env.Feed.First))
}

// whoCell is the client's tag, of which the first letters tell enough.
func (t *Page) whoCell(i int) (term.Style, string) {
	return term.Accent, ansi.Truncate(t.Rows[i].Client.Tag, 4, "")
}

func (t *Page) verbCell(i int) (term.Style, string) {
	v := t.Rows[i].Target.Verb
	if feed.Writes(v) {
		return term.Write, label.Verb(v)
	}
	return term.Plain, label.Verb(v)
}

func (t *Page) codeCell(i int) (term.Style, string) { return label.Code(t.Rows[i]) }

func (t *Page) msCell(i int) (term.Style, string) {
	f := t.Rows[i]
	switch {
	case f.Phase == flow.WatchOpened:
		return term.Dim, "–"
	case f.Phase == flow.WatchClosed:
		return term.Dim, runMillis(f.Duration)
	case f.Duration >= 100*time.Millisecond:
		return term.Warn, term.Millis(f.Duration)
	}
	return term.Plain, term.Millis(f.Duration)
}

func (t *Page) rvCell(i int) (term.Style, string) {
	f := t.Rows[i]
	if w := f.Watch; w != nil {
		return term.Dim, label.Revision(w.State().Last)
	}
	if len(f.Effects) > 0 {
		return term.Bold, label.Revision(f.Revision)
	}
	return term.Dim, label.Revision(f.Revision)
}

func (t *Page) drawEmpty(c *term.Canvas, r term.Rect) {
	var say []term.Line
	if t.env.Stats.Flows > 0 && t.env.Feed.Match != nil {
		say = []term.Line{term.Text(term.Bold, fmt.Sprintf("0 of %s requests pass the filter.", term.Count(t.env.Stats.Flows))), {term.Key.Of("*"), term.Plain.Of(" clears it, "), term.Key.Of("/"), term.Plain.Of(" changes it")}}
	} else {
		say = []term.Line{
			term.Text(term.Bold, "No requests yet."),
			term.Text(term.Plain, "In another window:"),
			term.Text(term.Accent, "  kubectl"+t.env.ServerFlag()+" get namespaces"),
		}
		if t.env.Lessons {
			say = append(say, term.Line{term.Plain.Of("or press "), term.Key.Of("8"), term.Plain.Of(" for a lesson")})
		}
	}
	if own := len(t.hidden); own > 0 {
		say = append(say, nil, term.Line{term.Dim.Of(fmt.Sprintf("%s of Kubarium's own are hidden; ", term.Count(own))), term.Key.Of("v"), term.Dim.Of(" can show them")})
	}
	for i, l := range say {
		c.Line(r, 3, 1+i, term.FitLine(l, r.W-4))
	}
}
