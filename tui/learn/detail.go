package learn

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A lessonDetail tells what the lesson under the cursor is about.
type lessonDetail struct {
	l *Page
	term.Viewport
}

func (d *lessonDetail) Name() string         { return "lesson" }
func (d *lessonDetail) Keys() []page.Binding { return d.l.Keys() }
func (d *lessonDetail) Legend() []string     { return d.l.Legend() }

func (d *lessonDetail) drawIn(c *term.Canvas, r term.Rect) {
	p := term.Column{W: r.W - 2}
	d.l.describe(&p, &d.l.Lessons[d.l.cursor])
	d.Lines = p.Lines
	d.Draw(c, r.Inset(1), r)
}
