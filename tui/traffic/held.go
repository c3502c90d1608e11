package traffic

import (
	"fmt"
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/flow/rule"
	"kubarium/tui/feed"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// heldShare says how many of the list's rows held requests take at most: one in heldShare.
const heldShare = 3

// held are the requests that the gate holds and that the filter lets through, the oldest first. They have no number
// yet: it is given when they are done. Until then their rows are the last; then each is where it started.
func (t *Page) held() []*rule.Held {
	g := t.env.Gate
	if len(g.Held) == 0 || t.sort != byStart {
		return nil
	}
	var out []*rule.Held
	for i := range g.Held {
		h := &g.Held[i]
		if h.Frame == nil && t.env.Feed.Verdict(gates.Flow(h)) == feed.Shows {
			out = append(out, h)
		}
	}
	return out
}

// drawHeld draws the rows of held requests after the others, and returns the room that is left for these.
func (t *Page) drawHeld(c *term.Canvas, r term.Rect, table *term.Table[int]) term.Rect {
	all := t.held()
	t.heldRows = nil
	most := max(1, r.H/heldShare)
	if len(all) == 0 || r.H < 4 {
		return r
	}
	shown := all[:min(len(all), most)]
	room := r.H - len(shown)
	at := min(room, len(t.Rows))
	for i, h := range shown {
		row := term.Rect{X: r.X, Y: r.Y + at + i, W: r.W, H: 1}
		more := term.Pick(i == len(shown)-1, len(all)-len(shown), 0)
		t.drawHeldRow(c, row, table, h, more)
		t.heldRows = append(t.heldRows, heldRow{row.Y - r.Y + 1, h.ID})
	}
	r.H = room
	return r
}

// A heldRow is where a held request was drawn, below the top of the pane.
type heldRow struct {
	y  int
	id uint64
}

func (t *Page) drawHeldRow(c *term.Canvas, r term.Rect, table *term.Table[int], h *rule.Held, more int) {
	c.Put(r, 1, 0, term.Warn, "⏸")
	cell := func(name string, st term.Style, s string) {
		if x, w := table.Column(name); w > 0 {
			c.Put(r, 2+x, 0, st, term.Fit(s, w))
		}
	}
	f := gates.Flow(h)
	if t.clock == timeOfDay {
		cell(t.clock.heading(), term.Dim, h.Start.Format("15:04:05"))
	} else if _, w := table.Column(t.clock.heading()); w > 0 && !t.env.Feed.First.IsZero() {
		s := label.Seconds(h.Start.Sub(t.env.Feed.First))
		cell(t.clock.heading(), term.Dim, strings.Repeat(" ", max(0, w-cells.Width(s)))+s)
	}
	cell("who", term.Accent, h.Client.Tag)
	cell("verb", term.Pick(feed.Writes(h.Target.Verb), term.Write, term.Plain), label.Verb(h.Target.Verb))
	note := "before " + h.Station + ", " + term.Ago(t.env.Now().Sub(h.Since))
	if more > 0 {
		note += fmt.Sprintf("; %d more", more)
	}
	x, _ := table.Column("target")
	room := r.W - 3 - x
	name := label.Target(f)
	if extra := label.Extra(f); cells.Width(name+extra+note)+2 < room {
		name += extra
	}
	left := max(8, room-cells.Width(note)-2)
	end := c.Put(r, 2+x, 0, term.Plain, term.Fit(name, left))
	c.Put(r, end+2, 0, term.Warn, term.Fit(note, r.W-end-3))
}

// clickHeld opens the gate at a held request, if its row was pressed.
func (t *Page) clickHeld(y int) bool {
	for _, row := range t.heldRows {
		if row.y == y {
			t.env.ShowHeld(row.id)
			return true
		}
	}
	return false
}

// touched reports whether rules acted on a request, or on events of its watch.
func touched(f *flow.Flow) bool {
	return len(f.Faults) > 0 || f.Watch != nil && f.Watch.State().Touched > 0
}
