package watches

import (
	"fmt"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/tui/gates"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// untold reports whether a mark is of an event that the watch never got.
func untold(m *flow.FaultMark) bool { return strings.HasPrefix(m.Outcome, "never told") }

// drawTouched marks on the axis the versions that rules acted on.
func drawTouched(c *term.Canvas, r term.Rect, marks []flow.FaultMark, a timeline.Axis) {
	for i := range marks {
		if at := a.At(marks[i].Seen); at >= 0 && marks[i].Seen > 0 {
			c.Put(r, at, 0, term.Warn, "ϟ")
		}
	}
}

// touchedStory says in a line which versions a watch never got, and how many events rules acted on.
func touchedStory(s flow.WatchState) term.Line {
	var never []string
	for i := range slices.Backward(s.Faults) {
		if m := &s.Faults[i]; untold(m) {
			never = append(never, fmt.Sprintf("rv %d of %s", m.Seen, m.Object))
		}
	}
	l := term.Line{term.Warn.Of("ϟ "), term.Plain.Of("rules acted on " + term.Plural(int(s.Touched), "event"))}
	if len(never) > 0 {
		l = append(l, term.Warn.Of("; never sent: "), term.Bold.Of(strings.Join(never, ", ")))
	}
	return l
}

// markOf is what was done to a frame before it was written; nil if nothing was.
func markOf(s flow.WatchState, fr *flow.Frame) *flow.FaultMark {
	for i := range s.Faults {
		m := &s.Faults[i]
		if m.Seen == fr.Revision && !untold(m) && fr.Type != "BOOKMARK" && (m.Object == fr.Name || m.Object == fr.Namespace+"/"+fr.Name) {
			return m
		}
	}
	return nil
}

// heldLine describes the event of a watch that is held; nil if none is.
func (f *frames) heldLine() term.Line {
	for i := range f.env.Gate.Held {
		h := &f.env.Gate.Held[i]
		if h.Watch == f.of.ID && h.Frame != nil {
			return term.Line{term.Warn.Of("⏸ "), term.Bold.Of(gates.Event(h.Frame)), term.Plain.Of(" is held for " + gates.Waits(h, f.env.Now()) + "; "), term.Key.Of("9"), term.Plain.Of(" lets it go")}
		}
	}
	return nil
}
