package term

import "fmt"

// A Viewport shows lines of which only some fit, and scrolls.
type Viewport struct {
	Lines []Line
	Top   int // the first line that is shown
	tall  int // rows as drawn last
}

func (v *Viewport) Height() int { return max(1, v.tall) }

// Move scrolls by some lines.
func (v *Viewport) Move(n int) { v.Top = max(0, min(v.Top+n, len(v.Lines)-v.tall)) }

// End goes to the first line, or to the last.
func (v *Viewport) End(bottom bool) { v.Top = Pick(bottom, max(0, len(v.Lines)-v.tall), 0) }

// Draw shows what fits into r, and in note, which may be wider, how much more there is below.
func (v *Viewport) Draw(c *Canvas, r, note Rect) {
	v.tall = r.H
	v.Top = max(0, min(v.Top, len(v.Lines)-r.H))
	for y := 0; y < r.H && v.Top+y < len(v.Lines); y++ {
		c.Line(r, 0, y, v.Lines[v.Top+y])
	}
	if rest := len(v.Lines) - v.Top - r.H; rest > 0 {
		c.Right(note, note.W, note.H-1, Dim, fmt.Sprintf(" %d more ▼", rest))
	}
}
