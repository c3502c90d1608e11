package tui

import (
	"fmt"
	"time"
)

// strip is the axis of versions at the bottom of every screen: how many changes were committed when. Its order is what
// the server knows; for clients a resourceVersion is opaque.
type strip struct{ u *env }

func (s *strip) init(u *env) { s.u = u }

// draw shows the axis; with three rows it has a title and names the newest commits.
func (s *strip) draw(c *canvas, r rect) {
	if r.empty() {
		return
	}
	y := 0
	from := "0"
	if cs := s.u.time.live(); len(cs) > 0 {
		from = fmt.Sprint(cs[0].Revision)
	}
	if s.u.time.compacted > 0 {
		from = fmt.Sprintf("%d▒▒", s.u.time.compacted)
	}
	head := fmt.Sprintf("▏%d head", s.u.time.head)
	n := max(8, r.w-len([]rune(from))-len([]rune(head))-2)
	if r.h >= 3 {
		n = min(n, r.w-len([]rune(from))-len([]rune(head))-30)
	}
	cells, step := s.u.time.cells(n)
	note := fmt.Sprintf("   one cell = %s", stepText(step))
	if r.h >= 3 {
		c.rule(r, 0, sBorder, text(sPlain, "versions, all objects"), text(sDim, "order known to the server; opaque to clients"))
		y = 1
	}
	x := c.put(r, 1, y, sDim, from)
	x = c.put(r, x, y, sOpen, spark(cells))
	x = c.put(r, x, y, sBold, head)
	if r.h >= 3 {
		c.put(r, x, y, sDim, note)
		s.drawNewest(c, r)
	}
}

func stepText(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return plural(int(d.Hours())/24, "day")
	case d >= time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d >= time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d s", int(d.Seconds()))
}

// drawNewest names the newest commits, newest last, and sets off that of the selected request.
func (s *strip) drawNewest(c *canvas, r rect) {
	if len(s.u.time.commits) == 0 {
		c.put(r, 1, 2, sDim, "nothing was committed since the UI started")
		return
	}
	var parts []line
	used := 2
	for i := len(s.u.time.commits) - 1; i >= 0; i-- {
		cm := s.u.time.commits[i]
		l := line{{sDim, fmt.Sprintf("%d ", cm.Revision)}, {commitStyle(cm), string(cm.Type)}, {sPlain, " " + objectName(cm)}}
		if cm.Outside {
			l[1] = span{sWarn, "X"}
		}
		if s.u.sel != nil && s.u.sel.Revision == cm.Revision && len(s.u.sel.Effects) > 0 {
			l = append(line{{sBold, "▲ "}}, l...)
		}
		if used+l.width()+3 > r.w {
			break
		}
		used += l.width() + 3
		parts = append(parts, l)
	}
	x := 1
	for i := len(parts) - 1; i >= 0; i-- {
		x = c.line(r, x, 2, parts[i]) + 3
	}
}
