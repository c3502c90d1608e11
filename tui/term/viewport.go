package term

import (
	"fmt"

	"kubarium/cells"
)

// A Viewport shows lines that may not all fit, and scrolls.
type Viewport struct {
	Lines []Line
	Top   int // the first visible line
	tall  int // rows as drawn last
}

// Height is how many lines are visible.
func (v *Viewport) Height() int { return max(1, v.tall) }

// Move scrolls by some lines.
func (v *Viewport) Move(n int) { v.Top = max(0, min(v.Top+n, len(v.Lines)-v.tall)) }

// End goes to the first line, or to the last.
func (v *Viewport) End(bottom bool) { v.Top = Pick(bottom, max(0, len(v.Lines)-v.tall), 0) }

// visible returns the lines visible in so many rows.
func (v *Viewport) visible(tall int) []Line {
	v.tall = max(0, tall)
	v.Top = max(0, min(v.Top, len(v.Lines)-v.tall))
	return v.Lines[v.Top:min(len(v.Lines), v.Top+v.tall)]
}

// Draw draws the visible lines into r, and into note, which may be wider, how many more are below. A last line that has
// no room for that next to it is below as well.
func (v *Viewport) Draw(c *Canvas, r, note Rect) {
	lines := v.visible(r.H)
	more := len(v.Lines) - v.Top - r.H
	if more > 0 && r.H > 1 && r.X+lines[r.H-1].Width()+cells.Width(moreText(more)) > note.X+note.W {
		lines, more = lines[:r.H-1], more+1
	}
	for y, l := range lines {
		c.Line(r, 0, y, l)
	}
	c.More(note, more)
}

// More notes in the lower right corner of r how many rows are below.
func (c *Canvas) More(r Rect, rows int) {
	if rows > 0 {
		c.Right(r, r.W, r.H-1, Dim, moreText(rows))
	}
}

func moreText(rows int) string { return fmt.Sprintf(" %d more ▼", rows) }

// scrolled is the part of an overlay that shows lines of which only some may fit.
type scrolled struct{ view Viewport }

// Height returns the number of visible lines.
func (s *scrolled) Height() int { return s.view.Height() }

// Move scrolls by some lines.
func (s *scrolled) Move(n int) { s.view.Move(n) }

// End goes to the first line, or to the last.
func (s *scrolled) End(bottom bool) { s.view.End(bottom) }
