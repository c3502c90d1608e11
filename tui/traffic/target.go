package traffic

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// drawTarget shows what a request asked for, and on the right what became of it: the events of a watch, or which
// refused request it tries again.
func (t *Page) drawTarget(c *term.Canvas, r term.Rect, f *flow.Flow) {
	tail, st := "", term.Dim
	if w := f.Watch; w != nil {
		s := w.State()
		open := s.Ended.IsZero()
		tail, st = "○ "+term.Count(s.Sent), term.Dim
		if open && f.Phase == flow.WatchOpened {
			tail, st = "◉ "+term.Count(s.Sent), term.Open
			t.openWatches = true
		}
	} else if of, ok := t.env.Feed.Retries[f.Seq]; ok {
		tail = fmt.Sprintf("↻%d", of)
	}
	room := r.W
	if tail != "" {
		n := ansi.StringWidth(tail)
		c.Put(r, r.W-n, 0, st, tail)
		room -= n + 1
	}
	name := label.Target(f)
	x := c.Put(term.Rect{X: r.X, Y: r.Y, W: room, H: 1}, 0, 0, term.Plain, term.Fit(name, room))
	if extra := label.Extra(f); extra != "" && x+4 < room {
		c.Put(term.Rect{X: r.X, Y: r.Y, W: room, H: 1}, x, 0, term.Dim, term.Fit(extra, room-x))
	}
}
