package learn

import (
	"fmt"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A lessonDetail describes the lesson under the cursor.
type lessonDetail struct {
	l *Page
	term.Viewport
}

// Name implements page.Pane.
func (d *lessonDetail) Name() string { return "lesson" }

// Keys implements page.Pane.
func (d *lessonDetail) Keys() []page.Binding { return d.l.Keys() }

// Legend implements page.Pane.
func (d *lessonDetail) Legend() []string { return d.l.Legend() }

func (d *lessonDetail) drawIn(c *term.Canvas, r term.Rect) {
	p := term.Column{W: r.W - 2}
	if d.l.chosen() >= 0 {
		d.l.describe(&p, &d.l.Lessons[d.l.cursor])
	}
	d.Lines = p.Lines
	d.Draw(c, r.Inset(1), r)
}

// describe adds what a lesson is about, its actors, and its state.
func (l *Page) describe(p *term.Column, le *Lesson) {
	s := le.Player.State()
	p.Title(le.Title)
	if le.Course != "" {
		p.Say(term.Dim, le.Course+" · kubarium --scenario "+le.Name)
	}
	p.Blank()
	p.Say(term.Plain, le.Summary)
	if what := l.Lacking(le); what != "" {
		p.Say(term.Warn, "! It "+what+".")
	}
	p.Blank()
	if len(le.Actors) > 0 {
		p.More(actorLines(le, p.W)...)
		p.Blank()
	}
	for i, step := range le.Steps {
		p.More(stepLine(i, current(le, s), step, s, p.W))
	}
	if s.Problem != "" {
		p.Blank()
		p.Say(term.Err, "✗ "+s.Problem)
	}
	if s.Phase == Done && le.Learned != "" {
		p.Blank()
		p.Say(term.Plain, l.env.T("Learned: ")+le.Learned)
	}
	p.Blank()
	p.Add(term.Key.Of("enter"), term.Plain.Of(l.env.T(" loads it; then ")), term.Key.Of("space"), term.Plain.Of(l.env.T(" goes on")))
}

// actorLines name the actors of a lesson with their roles.
func actorLines(le *Lesson, w int) []term.Line {
	var out []term.Line
	for _, a := range le.Actors {
		out = append(out, labelled(a.Name+": ", a.Role, w)...)
	}
	return out
}

// stepLine is the title of the i-th step, with a sign for its state; now is the present step.
func stepLine(i, now int, step string, s State, w int) term.Line {
	sign, st := "  ", term.Plain
	switch {
	case i == now && s.Phase == Failed:
		sign, st = "✗ ", term.Err
	case i == now && s.Phase != Done:
		sign, st = "▸ ", term.Bold
	case i < s.Done:
		sign, st = "✓ ", term.Dim
	}
	return term.FitLine(term.Line{st.Of(fmt.Sprintf("%s%2d  %s", sign, i+1, step))}, w)
}

// thirdLines are the loaded lesson's text for a column of its own.
func (l *Page) thirdLines(w int) []term.Line {
	s := l.Loaded.Player.State()
	p := term.Column{W: w}
	if len(l.Loaded.Actors) > 0 {
		p.More(actorLines(l.Loaded, w)...)
		p.Blank()
	}
	for i, step := range l.Loaded.Steps {
		p.More(stepLine(i, current(l.Loaded, s), step, s, p.W))
	}
	p.Blank()
	l.tellAll(&p, s)
	return p.Lines
}
