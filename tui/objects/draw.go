package objects

import (
	"fmt"

	"kubarium/tui/label"
	"kubarium/tui/term"
)

// Title returns the title of a pane, and a note for its right side.
func (o *Page) Title(at int) (title, note term.Line) {
	st := o.env.TitleStyle(at)
	switch {
	case at == 0:
		return term.Text(st, o.resources.title()), nil
	case at == 1 && o.table.of != nil:
		r := o.table.of
		title = term.Line{st.Of(r.FullName())}
		note = term.Text(term.Dim, fmt.Sprintf("rv %s",
			label.Revision(o.table.revision))+term.Pick(o.env.Moment != nil && o.table.loading, " …", ""))
		if o.table.loaded && o.table.err == nil {
			title = append(title, term.Dim.Of("  "+o.table.count()))
		}
		return title, note
	case at == 1:
		return term.Text(st, "objects"), nil
	case o.Object.Of != nil:
		return term.Text(st, o.Object.subject()), nil
	}
	return term.Text(st, "object"), nil
}

// Draw draws one of the three panes.
func (o *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	if !o.env.Titled {
		o.drawCrumbs(c, r.Row(0))
		r = r.From(1)
	}
	focused := o.env.HasKeys(i) && o.env.Over == nil
	switch i {
	case 0:
		o.resources.draw(c, r, focused)
	case 1:
		o.table.draw(c, r, focused)
	case 2:
		o.Object.draw(c, r, focused)
	}
}

// drawCrumbs draws the path to the present pane, if it is the only one and has no title.
func (o *Page) drawCrumbs(c *term.Canvas, r term.Rect) {
	crumbs := term.Text(term.Pick(o.depth == 0, term.Bold, term.Dim), o.resources.title())
	if o.depth >= 1 && o.table.of != nil {
		crumbs = append(crumbs, term.Dim.Of(" ▸ "),
			term.Pick(o.depth == 1, term.Bold, term.Dim).Of(o.table.of.FullName()))
	}
	if o.depth == 2 && o.Object.Of != nil {
		crumbs = append(crumbs, term.Dim.Of(" ▸ "), term.Bold.Of(o.Object.key.Name))
	}
	c.Line(r, 1, 0, term.FitLine(crumbs, r.W-2))
}
