package objects

import (
	"fmt"
	"strings"

	"kubarium/tui/client"
	"kubarium/tui/term"
)

// detailsFrom is the height from which on the list ends with the details of the chosen resource.
const detailsFrom = 16

// draw draws the groups with their resources, and below them the details of the chosen one.
func (l *resources) draw(c *term.Canvas, r term.Rect, focused bool) {
	if l.drawNothing(c, r) {
		return
	}
	list := r
	if r.H >= detailsFrom {
		details := l.details(r.W - 3)
		list.H -= len(details) + 1
		for y, d := range details {
			c.Line(term.Rect{X: r.X, Y: r.Y + list.H + 1, W: r.W, H: len(details)}, 2, y, d)
		}
		c.Put(r, 0, list.H, term.Border, strings.Repeat("─", r.W))
	}
	c.Put(list, 2, 0, term.Head, "name")
	c.Put(list, r.W-countWidth-shortWidth, 0, term.Head, "short")
	c.Right(list, r.W-1, 0, term.Head, "objects")
	l.cursor.Draw(c, list.From(1), term.Pick(focused, term.Selected, term.Shadowed), func(row term.Rect, i int) {
		if at := l.rows[i]; at.r != nil {
			l.drawRow(c, row, at.r)
		} else {
			drawHeading(c, row, at)
		}
	})
}

// drawHeading draws the heading of a group.
func drawHeading(c *term.Canvas, r term.Rect, at resourceRow) {
	x := c.Put(r, 1, 0, term.Dim, term.Fit(at.heading, r.W-10))
	if at.origin != "" {
		c.Put(r, x+2, 0, term.Accent, at.origin)
	}
}

// Widths of columns, in cells.
const (
	shortWidth = 8
	countWidth = 8
)

func (l *resources) drawRow(c *term.Canvas, row term.Rect, r *client.Resource) {
	at := row.W - countWidth - shortWidth
	c.Put(row, 2, 0, term.Plain, term.Fit(r.Name, at-3))
	c.Put(row, at, 0, term.Dim, term.Fit(strings.Join(r.Short, ","), shortWidth-1))
	n, st := "–", term.Dim
	if r.Counted {
		n, st = term.Count(r.N), term.Pick(r.N > 0, term.Num, term.Dim)
	}
	c.Right(row, row.W-1, 0, st, n)
}

// details are the other facts from discovery about the chosen resource.
func (l *resources) details(w int) []term.Line {
	r := l.selected()
	if r == nil {
		return nil
	}
	head := term.Line{term.Bold.Of(r.Kind), term.Plain.Of("  " + r.GroupVersion()), term.Dim.Of(", " + r.Scope())}
	out := []term.Line{term.FitLine(head, w)}
	switch {
	case r.Elsewhere:
		out[0] = term.FitLine(append(out[0], term.Accent.Of(", answered by another server")), w)
	case r.Custom:
		out[0] = term.FitLine(append(out[0], term.Accent.Of(", defined by a CustomResourceDefinition")), w)
	}
	verbs := "no verbs"
	if len(r.Verbs) > 0 {
		verbs = strings.Join(r.Verbs, " ")
	}
	out = append(out, term.WrapLines(term.Plain, verbs, w)...)
	more := ""
	if len(r.Subresources) > 0 {
		more += "with /" + strings.Join(r.Subresources, " /")
	}
	if len(r.Categories) > 0 {
		more += "  in " + strings.Join(r.Categories, ", ")
	}
	if len(r.Others) > 0 {
		more += "  also served as " + strings.Join(r.Others, ", ")
	}
	return append(out, term.Text(term.Dim, term.Fit(strings.TrimSpace(more), w)))
}

// drawNothing says why the list is empty, and reports whether it is.
func (l *resources) drawNothing(c *term.Canvas, r term.Rect) bool {
	var say []term.Line
	switch {
	case len(l.rows) > 0:
		return false
	case l.err != nil:
		say = append(term.WrapLines(term.Err, "✗ "+l.err.Error(), r.W-5),
			term.Line{term.Key.Of("u"), term.Plain.Of(" asks again")})
	case len(l.all) > 0:
		say = []term.Line{term.Text(term.Bold, fmt.Sprintf("0 of %d resources have %q.", len(l.all), l.words)),
			{term.Key.Of("*"), term.Plain.Of(" clears it, "), term.Key.Of("/"), term.Plain.Of(" changes it")}}
	default:
		say = []term.Line{term.Text(term.Dim, "asking the server for its resources …")}
	}
	c.Notice(r, say...)
	return true
}
