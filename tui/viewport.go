package tui

import "fmt"

// A viewport shows lines of which only some fit, and scrolls.
type viewport struct {
	lines []line
	top   int // the first line that is shown
	tall  int // rows as drawn last
}

func (v *viewport) height() int { return max(1, v.tall) }

// move scrolls by some lines.
func (v *viewport) move(n int) { v.top = max(0, min(v.top+n, len(v.lines)-v.tall)) }

// end goes to the first line, or to the last.
func (v *viewport) end(bottom bool) { v.top = pick(bottom, max(0, len(v.lines)-v.tall), 0) }

// draw shows what fits into r, and in note, which may be wider, how much more there is below.
func (v *viewport) draw(c *canvas, r, note rect) {
	v.tall = r.h
	v.top = max(0, min(v.top, len(v.lines)-r.h))
	for y := 0; y < r.h && v.top+y < len(v.lines); y++ {
		c.line(r, 0, y, v.lines[v.top+y])
	}
	if rest := len(v.lines) - v.top - r.h; rest > 0 {
		c.right(note, note.w, note.h-1, sDim, fmt.Sprintf(" %d more ▼", rest))
	}
}
