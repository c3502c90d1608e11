package tui

import (
	"fmt"
	"time"

	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// strip is the axis of versions at the bottom of every screen: how many changes were committed when. Its order is what
// the server knows; for clients a resourceVersion is opaque.
type strip struct{ env *page.Env }

func (s *strip) init(u *page.Env) { s.env = u }

// draw shows the axis; with three rows it has a title and names the newest commits.
func (s *strip) draw(c *term.Canvas, r term.Rect) {
	if r.Empty() {
		return
	}
	y := 0
	from := "0"
	if cs := s.env.Time.Live(); len(cs) > 0 {
		from = fmt.Sprint(cs[0].Revision)
	}
	if s.env.Time.Compacted > 0 {
		from = fmt.Sprintf("%d▒▒", s.env.Time.Compacted)
	}
	head := fmt.Sprintf("▏%d head", s.env.Time.Head)
	n := max(8, r.W-len([]rune(from))-len([]rune(head))-2)
	if r.H >= 3 {
		n = min(n, r.W-len([]rune(from))-len([]rune(head))-30)
	}
	cells, step := s.env.Time.Cells(n)
	note := fmt.Sprintf("   one cell = %s", stepText(step))
	if r.H >= 3 {
		c.Rule(r, 0, term.Border, term.Text(term.Plain, "versions, all objects"), stripLegend(r.W))
		y = 1
	}
	x := c.Put(r, 1, y, term.Dim, from)
	x = c.Put(r, x, y, term.Open, term.Spark(cells))
	x = c.Put(r, x, y, term.Bold, head)
	if r.H >= 3 {
		c.Put(r, x, y, term.Dim, note)
		s.drawNewest(c, r)
	}
}

// stripLegend says what the signs mean, and where there is room what the order is.
func stripLegend(w int) term.Line {
	l := term.Line{term.Add.Of("C"), term.Dim.Of(" created "), term.Bold.Of("U"), term.Dim.Of(" updated "), term.Del.Of("D"), term.Dim.Of(" deleted "),
		term.Warn.Of("X"), term.Dim.Of(" by SQL  "), term.Bold.Of("▲"), term.Dim.Of(" the selected request's  ▒ compacted")}
	if w >= page.HugeWidth {
		l = append(l, term.Dim.Of("  order known to the server; opaque to clients"))
	}
	return l
}

func stepText(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return term.Plural(int(d.Hours())/24, "day")
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// drawNewest names the newest commits, newest last, and sets off that of the selected request.
func (s *strip) drawNewest(c *term.Canvas, r term.Rect) {
	if len(s.env.Time.Commits) == 0 {
		c.Put(r, 1, 2, term.Dim, "nothing was committed "+s.env.Since())
		return
	}
	var parts []term.Line
	used := 2
	for i := len(s.env.Time.Commits) - 1; i >= 0; i-- {
		cm := s.env.Time.Commits[i]
		l := term.Line{term.Dim.Of(fmt.Sprintf("%d ", cm.Revision)), label.CommitStyle(cm).Of(string(cm.Type)), term.Plain.Of(" " + label.Object(cm))}
		if cm.Outside {
			l[1] = term.Warn.Of("X")
		}
		if s.env.Sel != nil && s.env.Sel.Revision == cm.Revision && len(s.env.Sel.Effects) > 0 {
			l = append(term.Line{term.Bold.Of("▲ ")}, l...)
		}
		if used+l.Width()+3 > r.W {
			break
		}
		used += l.Width() + 3
		parts = append(parts, l)
	}
	x := 1
	for i := len(parts) - 1; i >= 0; i-- {
		x = c.Line(r, x, 2, parts[i]) + 3
	}
}
