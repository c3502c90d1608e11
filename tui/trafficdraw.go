package tui

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
)

// A column of the request list. It is shown from a width of the list on; the one without a width takes what is left.
type column struct {
	name  string
	width int
	need  int // the least width of the list
	left  bool
	cell  func(t *traffic, i int) (style, string)
}

var columns = []column{
	{name: "seq", width: 5, need: 50, cell: (*traffic).seqCell},
	{name: "+s", width: 8, need: 66, cell: (*traffic).timeCell},
	{name: "who", width: 4, need: 50, left: true, cell: (*traffic).whoCell},
	{name: "verb", width: 7, left: true, cell: (*traffic).verbCell},
	{name: "target", left: true},
	{name: "code", width: 4, left: true, cell: (*traffic).codeCell},
	{name: "ms", width: 5, need: 44, cell: (*traffic).msCell},
	{name: "rv", width: 6, need: 60, cell: (*traffic).rvCell},
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
func (t *traffic) drawList(c *canvas, r rect) {
	t.openWatches = false
	cols := plan(r.w, len(fmt.Sprint(t.u.seq)), t.u.columns == 1)
	t.heading(c, r, cols)
	body := r.from(1)
	t.scroll(body.h)
	if len(t.rows) == 0 {
		t.drawEmpty(c, body)
		return
	}
	for y := 0; y < body.h && t.top+y < len(t.rows); y++ {
		t.drawRow(c, body.row(y), cols, t.top+y)
	}
}

func (t *traffic) heading(c *canvas, r rect, cols []column) {
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
			c.right(r, x+col.width, 0, sHead, name)
		} else {
			c.put(r, x, 0, sHead, name)
		}
		x += col.width + 1
	}
}

func (t *traffic) drawRow(c *canvas, r rect, cols []column, i int) {
	f := t.rows[i]
	of := t.runs.of(f)
	t.drawSign(c, r, f, of)
	x := 2
	for _, col := range cols {
		if of != nil && !of.open && t.drawRunCell(c, rect{r.x + x, r.y, col.width, 1}, col, of) {
			x += col.width + 1
			continue
		}
		if col.cell == nil {
			t.drawTarget(c, rect{r.x + x, r.y, col.width, 1}, f)
		} else if st, s := col.cell(t, i); col.left {
			c.put(rect{r.x + x, r.y, col.width, 1}, 0, 0, st, fit(s, col.width))
		} else {
			c.right(rect{r.x + x, r.y, col.width, 1}, col.width, 0, st, s)
		}
		x += col.width + 1
	}
	if i != t.cursor {
		return
	}
	c.put(r, 0, 0, sBold, "▸")
	c.restyle(r, t.u.rowStyle(0))
}

// drawSign shows before a row whether it is marked, or what part of a kubectl run it is.
func (t *traffic) drawSign(c *canvas, r rect, f *flow.Flow, of *run) {
	switch {
	case t.u.marked(f):
		c.put(r, 1, 0, sMark, "◆")
	case of == nil:
	case !of.open:
		c.put(r, 1, 0, sKey, "+")
	case f == of.head():
		c.put(r, 1, 0, sDim, "┌")
	default:
		c.put(r, 1, 0, sDim, "│")
	}
}

// drawRunCell shows what a folded run says in a column, and reports false where it says what its first request does.
func (t *traffic) drawRunCell(c *canvas, r rect, col column, of *run) bool {
	switch col.name {
	case "verb": // the run's text takes this column as well
	case "target":
		verb := columns[3].width + 1
		c.put(rect{r.x - verb, r.y, r.w + verb, 1}, 0, 0, sBold, fit(of.text(), r.w+verb))
	case "code":
		st, s := codeText(of.worst())
		c.put(r, 0, 0, st, fit(s, r.w))
	case "ms":
		c.right(r, r.w, 0, sPlain, runMillis(of.took()))
	case "rv":
		c.right(r, r.w, 0, pick(of.revision() > 0, sBold, sDim), revision(of.revision()))
	default:
		return false
	}
	return true
}

// runMillis is the time of a run or a watch in the few cells of a column for milliseconds; a long one has its unit.
func runMillis(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return millis(d)
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 100*time.Minute:
		return fmt.Sprintf("%dmin", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

func (t *traffic) seqCell(i int) (style, string) { return sDim, fmt.Sprint(t.rows[i].Seq) }

func (t *traffic) timeCell(i int) (style, string) {
	f := t.rows[i]
	switch t.clock {
	case timeOfDay:
		return sDim, f.Start.Format("15:04:05") // to the second: the column is as wide as that
	case sincePrevious:
		if i == 0 {
			return sDim, "–"
		}
		return sDim, seconds(f.Start.Sub(t.rows[i-1].Start))
	}
	return sDim, seconds(f.Start.Sub(t.u.feed.first))
}

// whoCell is the client's tag, of which the first letters tell enough.
func (t *traffic) whoCell(i int) (style, string) {
	return sAccent, ansi.Truncate(t.rows[i].Client.Tag, 4, "")
}

func (t *traffic) verbCell(i int) (style, string) {
	v := t.rows[i].Target.Verb
	if writes(v) {
		return sWrite, shortVerb(v)
	}
	return sPlain, shortVerb(v)
}

func (t *traffic) codeCell(i int) (style, string) { return codeText(t.rows[i]) }

func (t *traffic) msCell(i int) (style, string) {
	f := t.rows[i]
	switch {
	case f.Phase == flow.WatchOpened:
		return sDim, "–"
	case f.Phase == flow.WatchClosed:
		return sDim, runMillis(f.Duration)
	case f.Duration >= 100*time.Millisecond:
		return sWarn, millis(f.Duration)
	}
	return sPlain, millis(f.Duration)
}

func (t *traffic) rvCell(i int) (style, string) {
	f := t.rows[i]
	if w := f.Watch; w != nil {
		return sDim, revision(w.State().Last)
	}
	if len(f.Effects) > 0 {
		return sBold, revision(f.Revision)
	}
	return sDim, revision(f.Revision)
}

func (t *traffic) drawEmpty(c *canvas, r rect) {
	var say []line
	if t.u.stats.Flows > 0 && t.u.feed.match != nil {
		say = []line{text(sBold, fmt.Sprintf("0 of %s requests pass the filter.", count(t.u.stats.Flows))), {{sKey, "*"}, {sPlain, " clears it, "}, {sKey, "/"}, {sPlain, " changes it"}}}
	} else {
		say = []line{
			text(sBold, "No requests yet."),
			text(sPlain, "In another window:"),
			text(sAccent, "  kubectl"+t.u.serverFlag()+" get namespaces"),
		}
		if t.u.lessons {
			say = append(say, line{{sPlain, "or press "}, {sKey, "8"}, {sPlain, " for a lesson"}})
		}
	}
	if own := len(t.hidden); own > 0 {
		say = append(say, nil, line{{sDim, fmt.Sprintf("%s of Kubarium's own are hidden; ", count(own))}, {sKey, "v"}, {sDim, " can show them"}})
	}
	for i, l := range say {
		c.line(r, 3, 1+i, fitLine(l, r.w-4))
	}
}

// serverFlag is what kubectl needs to find this server: nothing where it looks by itself.
func (u *env) serverFlag() string {
	if u.url == "http://127.0.0.1:8080" || u.url == "http://localhost:8080" || u.url == "" {
		return ""
	}
	return " -s " + u.url
}
