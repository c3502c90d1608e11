package term

// Notice shows instead of rows why there are none, and what to do about it.
func (c *Canvas) Notice(r Rect, lines ...Line) {
	for y, l := range lines {
		c.Line(r, 3, 1+y, FitLine(l.In(c.Words), r.W-4))
	}
}
