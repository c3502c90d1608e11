package tui

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"kubarium/server/flow"
)

// drawTarget shows what a request asked for, and on the right what became of it: the events of a watch, or which
// refused request it tries again.
func (t *traffic) drawTarget(c *canvas, r rect, f *flow.Flow) {
	tail, st := "", sDim
	if w := f.Watch; w != nil {
		s := w.State()
		open := s.Ended.IsZero()
		tail, st = "○ "+count(s.Sent), sDim
		if open && f.Phase == flow.WatchOpened {
			tail, st = "◉ "+count(s.Sent), sOpen
			t.openWatches = true
		}
	} else if of, ok := t.u.feed.retries[f.Seq]; ok {
		tail = fmt.Sprintf("↻%d", of)
	}
	room := r.w
	if tail != "" {
		n := ansi.StringWidth(tail)
		c.put(r, r.w-n, 0, st, tail)
		room -= n + 1
	}
	name := targetText(f)
	x := c.put(rect{r.x, r.y, room, 1}, 0, 0, sPlain, fit(name, room))
	if extra := targetExtra(f); extra != "" && x+4 < room {
		c.put(rect{r.x, r.y, room, 1}, x, 0, sDim, fit(extra, room-x))
	}
}
