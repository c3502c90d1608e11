package term

import "fmt"

// A Viewport shows lines of which only some fit, and scrolls.
type Viewport struct {
	Lines []Line
	Top   int // the first line that is shown
	tall  int // rows as drawn last
}

// Height is how many lines are visible.
func (v *Viewport) Height() int { return max(1, v.tall) }

// Move scrolls by some lines.
func (v *Viewport) Move(n int) { v.Top = max(0, min(v.Top+n, len(v.Lines)-v.tall)) }

// End goes to the first line, or to the last.
func (v *Viewport) End(bottom bool) { v.Top = Pick(bottom, max(0, len(v.Lines)-v.tall), 0) }

// visible are the lines that are shown in so many rows.
func (v *Viewport) visible(tall int) []Line {
	v.tall = max(0, tall)
	v.Top = max(0, min(v.Top, len(v.Lines)-v.tall))
	return v.Lines[v.Top:min(len(v.Lines), v.Top+v.tall)]
}

// Draw shows what fits into r, and in note, which may be wider, how much more there is below.
func (v *Viewport) Draw(c *Canvas, r, note Rect) {
	for y, l := range v.visible(r.H) {
		c.Line(r, 0, y, l)
	}
	c.More(note, len(v.Lines)-v.Top-r.H)
}

// More notes in the lower right corner of r that there are rows below those that are drawn.
func (c *Canvas) More(r Rect, rows int) {
	if rows > 0 {
		c.Right(r, r.W, r.H-1, Dim, fmt.Sprintf(" %d more ▼", rows))
	}
}
