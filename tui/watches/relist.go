package watches

import (
	"fmt"

	"kubarium/analysis/relist"
	"kubarium/flow"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// relistTexts say what came before a lane, the longest first: the first that fits is drawn.
func relistTexts(r relist.Relist, x *flow.Watch) []term.Line {
	again := "↻ watch"
	if r.List != nil {
		again = "↻ list"
	}
	return []term.Line{
		{term.Err.Of(fmt.Sprintf("✗ 410: %d < compacted %d", x.Start, r.Compacted)), term.Open.Of("  " + again)},
		{term.Err.Of(fmt.Sprintf("✗ 410: %d", x.Start)), term.Open.Of(" " + again)},
		{term.Err.Of("✗ 410"), term.Open.Of(" " + again)},
		{term.Err.Of("✗"), term.Open.Of("↻")},
	}
}

// drawBefore draws what came before a lane that begins at column from, which is how far there is room.
func drawBefore(r relist.Relist, c *term.Canvas, at term.Rect, from int) {
	for _, l := range relistTexts(r, r.Was) {
		if l.Width() < from {
			c.Line(at, 0, 0, l)
			return
		}
	}
}

// relistStory says in a line how a client came from an expired watch to this one.
func relistStory(r relist.Relist, now *flow.Watch) term.Line {
	l := term.Line{term.Err.Of("✗ 410 Gone"), term.Plain.Of(fmt.Sprintf(" at rv %d, compacted up to %d", r.Was.Start, r.Compacted))}
	if r.List != nil {
		l = append(l, term.Open.Of("  ↻ list"), term.Plain.Of(fmt.Sprintf(" #%d, rv %s", r.List.Seq, label.Revision(r.List.Revision))))
	}
	return append(l, term.Open.Of("  ◉ watch"), term.Plain.Of(fmt.Sprintf(" again after rv %s", label.Revision(now.Start))))
}
