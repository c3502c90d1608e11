package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// strip is the axis of versions at the bottom of every screen: how many changes were committed when. Its order is what
// the server knows; for clients a resourceVersion is opaque.
type strip struct {
	env   *page.Env // of the run as it goes on, whatever moment is shown
	cells term.Rect // as drawn; the head begins after them
}

// draw shows the axis, and the moment on it that the pages show; with three rows it has a title and names the newest
// commits.
func (s *strip) draw(c *term.Canvas, r term.Rect, on *page.Env) {
	shown := on.Moment
	s.cells = term.Rect{}
	if r.Empty() {
		return
	}
	y := 0
	from, older := s.begins()
	head := fmt.Sprintf("▏%d head", s.env.Time.Head)
	n := max(8, r.W-term.Text(term.Dim, from).Width()-term.Text(term.Bold, head).Width()-2)
	if r.H >= 3 {
		n = min(n, r.W-term.Text(term.Dim, from).Width()-term.Text(term.Bold, head).Width()-30)
	}
	cells, step := s.env.Time.Cells(n)
	note := s.env.F("   one cell = %s", s.env.T(stepText(step)))
	if shown != nil {
		note = "   { }  drag  :at RV  :fork"
	}
	if r.H >= 3 {
		c.Rule(r, 0, term.Border, term.Text(term.Plain, s.env.T("versions, all objects")), stripLegend(r.W, s.env.Store(), older))
		y = 1
	}
	x := c.Put(r, 1, y, term.Dim, from)
	s.cells = term.Rect{X: r.X + x, Y: r.Y + y, W: n, H: 1}
	x = c.Put(r, x, y, term.Open, term.Spark(cells))
	c.Put(s.cells, 0, 0, term.Dim, strings.Repeat("▒", s.env.Time.CompactedCells(n)))
	if shown != nil {
		c.Put(s.cells, s.column(shown), 0, term.Mode, "◆")
	}
	x = c.Put(r, x, y, term.Bold, head)
	if r.H >= 3 {
		c.Put(r, x, y, term.Dim, term.Fit(note, r.W-x))
		s.drawNewest(c, r, on)
	}
}

// begins is the revision at which the axis begins, after a sign for what was before it: compacted, or readable and not
// shown.
func (s *strip) begins() (from string, older bool) {
	t := s.env.Time
	cs := t.Live()
	switch {
	case len(cs) == 0 && t.Compacted == 0:
		return "0", false
	case len(cs) == 0:
		return fmt.Sprintf("▒%d", t.Compacted), false
	case t.Compacted >= cs[0].Revision:
		return fmt.Sprintf("▒%d", cs[0].Revision), false
	case len(cs) < len(t.Commits) || t.Older():
		return fmt.Sprintf("…%d", cs[0].Revision), true
	}
	return fmt.Sprint(cs[0].Revision), false
}

// column is the cell of a moment; the first for one from before the axis.
func (s *strip) column(m *page.Moment) int {
	at, _ := s.env.Time.Around(m.Revision)
	if at == nil {
		return 0
	}
	return max(0, s.env.Time.Column(s.cells.W, at))
}

// commitAt is the version of a press on the strip: the newest of the cell, or the head after the cells. It is 0 where
// there is none.
func (s *strip) commitAt(x int) int64 {
	switch {
	case s.cells.Empty() || x < s.cells.X:
		return 0
	case x >= s.cells.X+s.cells.W:
		return s.env.Time.Head
	}
	if c := s.env.Time.InColumn(s.cells.W, x-s.cells.X); c != nil {
		return c.Revision
	}
	return 0
}

// stripLegend says what the signs mean, and where there is room what the order is.
func stripLegend(w int, s *label.Store, older bool) term.Line {
	end := "▒ compacted"
	if older {
		end = term.Pick(w >= page.WideWidth, "… older ones, readable", "… older")
	}
	l := term.Line{term.Add.Of("C"), term.Dim.Of(" created "), term.Bold.Of("U"), term.Dim.Of(" updated "), term.Del.Of("D"), term.Dim.Of(" deleted "),
		term.Warn.Of("X"), term.Dim.Of(" " + s.X + "  "), term.Bold.Of("▲"), term.Dim.Of(" the selected request's  " + end)}
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

// drawNewest names the newest commits, newest last, and sets off that of the selected request. Where a moment of the
// past is shown, they are those around it.
func (s *strip) drawNewest(c *term.Canvas, r term.Rect, on *page.Env) {
	shown := on.Moment
	if len(s.env.Time.Commits) == 0 {
		c.Put(r, 1, 2, term.Dim, "nothing was committed "+s.env.Since())
		return
	}
	var parts []term.Line
	used := 2
	for i := s.newestNamed(shown); i >= 0; i-- {
		cm := s.env.Time.Commits[i]
		l := term.Line{term.Dim.Of(fmt.Sprintf("%d ", cm.Revision)), label.CommitStyle(cm).Of(string(cm.Type)), term.Plain.Of(" " + label.Object(cm))}
		if cm.Outside {
			l[1] = term.Warn.Of("X")
		}
		if on.Sel != nil && on.Sel.Revision == cm.Revision && len(on.Sel.Effects) > 0 {
			l = append(term.Line{term.Bold.Of("▲ ")}, l...)
		}
		if shown != nil && cm.Revision == shown.Revision {
			l = append(term.Line{term.Mode.Of("◆"), term.Plain.Of(" ")}, l...)
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

// newestNamed is the last of the commits that are named: the newest, or the one after the moment that is shown.
func (s *strip) newestNamed(shown *page.Moment) int {
	last := len(s.env.Time.Commits) - 1
	if shown == nil {
		return last
	}
	return max(0, slices.IndexFunc(s.env.Time.Commits, func(c flow.Commit) bool { return c.Revision > shown.Revision }))
}
