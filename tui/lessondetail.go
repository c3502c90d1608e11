package tui

import "kubarium/tui/term"

// A lessonDetail tells what the lesson under the cursor is about.
type lessonDetail struct {
	l *learn
	term.Viewport
}

func (d *lessonDetail) name() string     { return "lesson" }
func (d *lessonDetail) keys() []binding  { return d.l.keys() }
func (d *lessonDetail) legend() []string { return d.l.legend() }

func (d *lessonDetail) drawIn(c *term.Canvas, r term.Rect) {
	p := term.Column{W: r.W - 2}
	d.l.describe(&p, &d.l.lessons[d.l.cursor])
	d.Lines = p.Lines
	d.Draw(c, r.Inset(1), r)
}
