package tui

import "fmt"

// title is that of one of the three panes.
func (o *objectsPage) title(at int) (title, note line) {
	st := o.u.titleStyle(at)
	switch {
	case at == 0:
		return text(st, o.resources.title()), nil
	case at == 1 && o.table.of != nil:
		r := o.table.of
		title = line{{st, r.fullName()}}
		note = text(sDim, fmt.Sprintf("rv %s", revision(o.table.revision)))
		if o.table.loaded && o.table.err == nil {
			title = append(title, span{sDim, fmt.Sprintf("  %s%s", count(len(o.table.rows)), pick(o.table.more, " of more", ""))})
		}
		return title, note
	case at == 1:
		return text(st, "objects"), nil
	case o.object.of != nil:
		return text(st, o.object.subject()), nil
	}
	return text(st, "object"), nil
}

// draw draws one of the three panes.
func (o *objectsPage) draw(c *canvas, i int, r rect) {
	if !o.u.titled {
		o.drawCrumbs(c, r.row(0))
		r = r.from(1)
	}
	focused := o.u.hasKeys(i) && o.u.over == nil
	switch i {
	case 0:
		o.resources.draw(c, r, focused)
	case 1:
		o.table.draw(c, r, focused)
	case 2:
		o.object.draw(c, r, focused)
	}
}

// drawCrumbs says, where there is one pane and no title, how deep it lies.
func (o *objectsPage) drawCrumbs(c *canvas, r rect) {
	crumbs := text(pick(o.depth == 0, sBold, sDim), o.resources.title())
	if o.depth >= 1 && o.table.of != nil {
		crumbs = append(crumbs, span{sDim, " ▸ "}, span{pick(o.depth == 1, sBold, sDim), o.table.of.fullName()})
	}
	if o.depth == 2 && o.object.of != nil {
		crumbs = append(crumbs, span{sDim, " ▸ "}, span{sBold, o.object.key.name})
	}
	c.line(r, 1, 0, fitLine(crumbs, r.w-2))
}
