package tui

// A lessonDetail tells what the lesson under the cursor is about.
type lessonDetail struct {
	l *learn
	viewport
}

func (d *lessonDetail) name() string     { return "lesson" }
func (d *lessonDetail) keys() []binding  { return d.l.keys() }
func (d *lessonDetail) legend() []string { return d.l.legend() }

func (d *lessonDetail) drawIn(c *canvas, r rect) {
	p := inspectorPage{w: r.w - 2}
	d.l.describe(&p, &d.l.lessons[d.l.cursor])
	d.lines = p.lines
	d.draw(c, r.inset(1), r)
}
