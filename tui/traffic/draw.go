package traffic

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// columns describe the list of requests, whose rows are indexes. digits is the length of the newest number; a list that
// is alone on the screen leaves the time out earlier.
func (t *Page) columns(digits int, alone bool) []term.TableColumn[int] {
	return []term.TableColumn[int]{
		{Name: "seq", Width: max(5, digits), From: 48, Right: true, Cell: func(i int) term.Span { return term.Dim.Of(fmt.Sprint(t.Rows[i].Seq)) }},
		{Name: t.clock.heading(), Width: 8, From: term.Pick(alone, 88, 64) + t.whoWidth() - 4, Right: true, Cell: t.timeCell},
		{Name: "who", Width: t.whoWidth(), From: 48, Cell: t.whoCell},
		{Name: "verb", Width: 7, Cell: t.verbCell},
		{Name: "target", Cells: t.targetCells},
		{Name: "code", Width: 4, Cell: t.codeCell},
		{Name: "ms", Width: 5, From: 42, Right: true, Cell: t.msCell},
		{Name: "rv", Width: 6, From: 58, Right: true, Cell: t.rvCell},
	}
}

// drawList shows the list with its headings.
func (t *Page) drawList(c *term.Canvas, r term.Rect) {
	t.openWatches = false
	table := term.PlanTable(r.W-2, 1, t.columns(len(fmt.Sprint(t.env.Seq)), t.env.Columns == 1), nil)
	c.Line(r, 2, 0, table.Heading())
	body := t.drawHeld(c, r.From(1), &table)
	if len(t.Rows) == 0 && len(t.heldRows) > 0 {
		return
	}
	if len(t.Rows) == 0 {
		t.drawEmpty(c, body)
		return
	}
	t.cursor.Draw(c, body, t.env.RowStyle(0), func(row term.Rect, i int) { t.drawRow(c, row, &table, i) })
}

func (t *Page) drawRow(c *term.Canvas, r term.Rect, table *term.Table[int], i int) {
	t.drawSign(c, r, t.Rows[i], t.runs.of(t.Rows[i]))
	c.Line(r, 2, 0, table.Row(i))
	if of := t.manyAt(i); of != nil {
		x, verb := table.Column("verb")
		_, target := table.Column("target")
		c.Line(r, 2+x, 0, of.text(verb+1+target)) // a run's text takes both
	}
}

// foldedAt is the run that is folded into a row, nil if it is one request.
func (t *Page) foldedAt(i int) *run {
	if of := t.runs.of(t.Rows[i]); of != nil && !of.open {
		return of
	}
	return nil
}

// manyAt is the same, except that it is nil also for a row of a request with which only discovery is folded.
func (t *Page) manyAt(i int) *run {
	if of := t.foldedAt(i); of != nil && !of.single() {
		return of
	}
	return nil
}

// drawSign shows before a row whether it is marked, or what part of a kubectl run it is.
func (t *Page) drawSign(c *term.Canvas, r term.Rect, f *flow.Flow, of *run) {
	switch {
	case t.env.Marked(f), of != nil && !of.open && slices.ContainsFunc(of.requests, t.env.Marked):
		c.Put(r, 1, 0, term.Marked, "◆")
	case of == nil:
	case !of.open:
		c.Put(r, 1, 0, term.Key, "+")
	case f == of.requests[0]:
		c.Put(r, 1, 0, term.Dim, "┌")
	default:
		c.Put(r, 1, 0, term.Dim, "│")
	}
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

func (t *Page) timeCell(i int) term.Span {
	f := t.Rows[i]
	switch {
	case t.clock == timeOfDay:
		return term.Dim.Of(f.Start.Format("15:04:05")) // to the second: the column is as wide as that
	case t.clock == sinceFirst:
		return term.Dim.Of(label.Seconds(f.Start.Sub(t.env.Feed.First)))
	case i == 0:
		return term.Dim.Of("–")
	}
	return term.Dim.Of(label.Seconds(f.Start.Sub(t.Rows[i-1].Start)))
}

// whoCell is the client's tag, of which the first letters are enough.
func (t *Page) whoCell(i int) term.Span {
	tag := t.Rows[i].Client.Tag
	if t.Rows[i].Client.Own() {
		tag = strings.TrimPrefix(strings.TrimSuffix(tag, "-controller"), "kube-")
		if strings.HasPrefix(tag, "kubelet-") {
			tag = "kubelet"
		}
	}
	return term.Accent.Of(tag[:cells.Cut(tag, t.whoWidth())])
}

// whoWidth has room for the names of controllers once they have taken steps of workloads.
func (t *Page) whoWidth() int { return term.Pick(t.works, 10, 4) }

func (t *Page) verbCell(i int) term.Span {
	v := t.Rows[i].Target.Verb
	if t.manyAt(i) != nil {
		return term.Span{}
	}
	return term.Pick(feed.Writes(v), term.Write, term.Plain).Of(label.Verb(v))
}

// codeCell is the code of a request, or the verdict of a folded run.
func (t *Page) codeCell(i int) term.Span {
	f := t.Rows[i]
	if of := t.manyAt(i); of != nil {
		f = of.verdict()
	}
	st, code := label.Code(f)
	return st.Of(code)
}

func (t *Page) msCell(i int) term.Span {
	if of := t.manyAt(i); of != nil {
		return term.Plain.Of(runMillis(of.took()))
	}
	f := t.Rows[i]
	switch {
	case f.Phase == flow.WatchOpened:
		return term.Dim.Of("–")
	case f.Phase == flow.WatchClosed:
		return term.Dim.Of(runMillis(f.Duration))
	case f.Duration >= 100*time.Millisecond:
		return term.Warn.Of(runMillis(f.Duration))
	}
	return term.Plain.Of(term.Millis(f.Duration))
}

// rvCell is the version of the answer, set off if the request made it.
func (t *Page) rvCell(i int) term.Span {
	f := t.Rows[i]
	rv, made := f.Revision, len(f.Effects) > 0
	if of := t.manyAt(i); of != nil {
		rv, made = of.revision(), of.revision() > 0
	} else if f.Watch != nil {
		rv, made = f.Watch.State().Last, false
	}
	return (term.Pick(made, term.Bold, term.Dim) | term.Version).Of(label.Revision(rv))
}

func (t *Page) drawEmpty(c *term.Canvas, r term.Rect) {
	var say []term.Line
	if t.env.Stats.Flows > 0 && t.env.Feed.Match != nil {
		say = []term.Line{term.Text(term.Bold, fmt.Sprintf("0 of %s requests pass the filter.", term.Count(t.env.Stats.Flows))), {term.Key.Of("*"), term.Plain.Of(" clears it, "), term.Key.Of("/"), term.Plain.Of(" changes it")}}
	} else {
		say = append([]term.Line{term.Text(term.Bold, t.noneText())},
			t.env.Try("", t.env.Kubectl()+" get namespaces")...)
		if t.env.Lessons {
			say = append(say, term.Line{term.Plain.Of("or press "), term.Key.Of("8"), term.Plain.Of(" for a lesson")})
		}
	}
	if own := len(t.hidden); own > 0 {
		say = append(say, nil, term.Line{term.Dim.Of(fmt.Sprintf("%s of Kubarium's own are hidden; ", term.Count(own))), term.Key.Of("v"), term.Dim.Of(" can show them")})
	}
	c.Notice(r, say...)
}

// noneText says that there are no requests, and where that is so.
func (t *Page) noneText() string {
	switch u := t.env; {
	case u.Moment != nil:
		return "None of the requests that are kept had ended " + u.Then() + "."
	case u.Past():
		return "There are no requests in this recording."
	}
	if t.env.Kubeconfig != "" {
		return "No requests yet: " + t.env.Kubectl() + " get pods"
	}
	return "No requests yet."
}
