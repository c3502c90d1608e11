package tui

import (
	"fmt"

	"kubarium/server/flow"
	"kubarium/server/flow/relist"
)

// texts say what came before a lane, the longest first: one of them is drawn as far as there is room.
func relistTexts(r relist.Relist, x *flow.Watch) []line {
	again := "↻ watch"
	if r.List != nil {
		again = "↻ list"
	}
	return []line{
		{{sErr, fmt.Sprintf("✗ 410: %d < compacted %d", x.Start, r.Compacted)}, {sOpen, "  " + again}},
		{{sErr, fmt.Sprintf("✗ 410: %d", x.Start)}, {sOpen, " " + again}},
		{{sErr, "✗ 410"}, {sOpen, " " + again}},
		{{sErr, "✗"}, {sOpen, "↻"}},
	}
}

// drawBefore draws what came before a lane that begins at column from, which is how far there is room.
func drawBefore(r relist.Relist, c *canvas, at rect, from int) {
	for _, l := range relistTexts(r, r.Was) {
		if l.width() < from {
			c.line(at, 0, 0, l)
			return
		}
	}
}

// story tells in a line how a client came from an expired watch to this one.
func relistStory(r relist.Relist, now *flow.Watch) line {
	l := line{{sErr, "✗ 410 Gone"}, {sPlain, fmt.Sprintf(" at rv %d, compacted up to %d", r.Was.Start, r.Compacted)}}
	if r.List != nil {
		l = append(l, span{sOpen, "  ↻ list"}, span{sPlain, fmt.Sprintf(" #%d, rv %s", r.List.Seq, revision(r.List.Revision))})
	}
	return append(l, span{sOpen, "  ◉ watch"}, span{sPlain, fmt.Sprintf(" again after rv %s", revision(now.Start))})
}
