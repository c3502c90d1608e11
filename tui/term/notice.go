package term

// Notice says in the place of rows why there are none, and what can be done about it.
func (c *Canvas) Notice(r Rect, lines ...Line) {
	for y, l := range lines {
		c.Line(r, 3, 1+y, FitLine(l, r.W-4))
	}
}
