package traffic

import (
	"fmt"
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// targetCells are the target of a request, and on the right its outcome: the events of a watch, or which refused
// request it tries again.
func (t *Page) targetCells(i, w int) term.Line {
	f := t.Rows[i]
	of := t.foldedAt(i)
	if of != nil && !of.single() {
		return nil
	}
	tail := t.targetTail(f)
	room := w
	if tail.Text != "" {
		room -= cells.Width(tail.Text) + 1
	}
	l := term.Text(term.Plain, fitTarget(label.Target(f), room))
	if x := l.Width(); label.Extra(f) != "" && x+4 < room {
		l = append(l, term.Dim.Of(term.Fit(label.Extra(f), room-x)))
	}
	if of != nil {
		l = append(l, term.Dim.Of(of.discovery(room-l.Width())))
	}
	if tail.Text == "" {
		return l
	}
	return append(l, term.Plain.Of(strings.Repeat(" ", max(0, room-l.Width())+1)), tail)
}

// fitTarget cuts a target in its middle: its end has what a generated name is known by, and the subresource.
func fitTarget(text string, w int) string {
	const leastEnd, ellipsis = 6, "…"
	if cells.Width(text) != len(text) || len(text) <= w || w < 3*leastEnd {
		return term.Fit(text, w)
	}
	_, sub, _ := strings.Cut(text, "/")
	end := leastEnd
	if i := strings.LastIndexByte(sub, '/'); i >= 0 { // the subresource, and of the name's end as much as of others
		end = min(w/2, len(sub)-i+5)
	}
	return text[:w-1-end] + ellipsis + text[len(text)-end:]
}

// targetTail is the outcome of a request, in a few cells.
func (t *Page) targetTail(f *flow.Flow) term.Span {
	tail := t.outcome(f)
	if w := f.Watch; w != nil && t.env.Gate.HoldsEvent(w.ID) {
		tail = term.Warn.Of("⏸ " + tail.Text)
	}
	if !touched(f) {
		return tail
	}
	return term.Warn.Of(strings.TrimSpace("ϟ " + tail.Text))
}

// outcome is that of a request by itself: the events of a watch, or which refused request it tries again.
func (t *Page) outcome(f *flow.Flow) term.Span {
	w := f.Watch
	if w == nil {
		if of, ok := t.env.Feed.Retries[f.Seq]; ok {
			return term.Dim.Of(fmt.Sprintf("↻%d", of))
		}
		return term.Span{}
	}
	s := w.State()
	if s.Ended.IsZero() && f.Phase == flow.WatchOpened {
		t.openWatches = true
		return term.Open.Of("◉ " + term.Count(s.Sent))
	}
	return term.Dim.Of("○ " + term.Count(s.Sent))
}
