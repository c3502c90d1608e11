package tui

import (
	"fmt"
	"strings"
)

// detailsFrom is the height from which on the list ends with what there is to know of the chosen resource.
const detailsFrom = 16

// draw shows the groups with their resources, and below them more of the chosen one.
func (l *resources) draw(c *canvas, r rect, focused bool) {
	if l.drawNothing(c, r) {
		return
	}
	list := r
	if r.h >= detailsFrom {
		details := l.details(r.w - 3)
		list.h -= len(details) + 1
		for y, d := range details {
			c.line(rect{r.x, r.y + list.h + 1, r.w, len(details)}, 2, y, d)
		}
		c.put(r, 0, list.h, sBorder, strings.Repeat("─", r.w))
	}
	c.put(list, 2, 0, sHead, "name")
	c.put(list, r.w-countWidth-shortWidth, 0, sHead, "short")
	c.right(list, r.w-1, 0, sHead, "objects")
	body := list.from(1)
	l.tall = body.h
	l.top = max(0, min(l.top, l.cursor-1, len(l.rows)-body.h), l.cursor-body.h+1)
	for y := 0; y < body.h && l.top+y < len(l.rows); y++ {
		row := body.row(y)
		at := l.rows[l.top+y]
		if at.r == nil {
			x := c.put(row, 1, 0, sDim, fit(at.heading, r.w-10))
			if at.custom {
				c.put(row, x+2, 0, sAccent, "custom")
			}
			continue
		}
		l.drawRow(c, row, at.r)
		if l.top+y == l.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, pick(focused, selected, shadowed))
		}
	}
}

const (
	shortWidth = 8
	countWidth = 8
)

func (l *resources) drawRow(c *canvas, row rect, r *resource) {
	at := row.w - countWidth - shortWidth
	c.put(row, 2, 0, sPlain, fit(r.name, at-3))
	c.put(row, at, 0, sDim, fit(strings.Join(r.short, ","), shortWidth-1))
	n, st := "–", sDim
	if r.counted {
		n, st = count(r.n), pick(r.n > 0, sNum, sDim)
	}
	c.right(row, row.w-1, 0, st, n)
}

// details is what else discovery tells of the chosen resource.
func (l *resources) details(w int) []line {
	r := l.selected()
	if r == nil {
		return nil
	}
	out := []line{fitLine(line{{sBold, r.kind}, {sPlain, "  " + r.groupVersion()}, {sDim, ", " + r.scope()}}, w)}
	if r.custom {
		out[0] = fitLine(append(out[0], span{sAccent, ", defined by a CustomResourceDefinition"}), w)
	}
	verbs := "no verbs"
	if len(r.verbs) > 0 {
		verbs = strings.Join(r.verbs, " ")
	}
	out = append(out, wrapLines(sPlain, verbs, w)...)
	more := ""
	if len(r.subresources) > 0 {
		more += "with /" + strings.Join(r.subresources, " /")
	}
	if len(r.categories) > 0 {
		more += "  in " + strings.Join(r.categories, ", ")
	}
	if len(r.others) > 0 {
		more += "  also served as " + strings.Join(r.others, ", ")
	}
	return append(out, text(sDim, fit(strings.TrimSpace(more), w)))
}

// drawNothing says why there is nothing to list, and reports whether that is so.
func (l *resources) drawNothing(c *canvas, r rect) bool {
	var say []line
	switch {
	case len(l.rows) > 0:
		return false
	case l.err != nil:
		say = append(wrapLines(sErr, "✗ "+l.err.Error(), r.w-5), line{{sKey, "u"}, {sPlain, " asks again"}})
	case len(l.all) > 0:
		say = []line{text(sBold, fmt.Sprintf("0 of %d resources have %q.", len(l.all), l.words)), {{sKey, "*"}, {sPlain, " clears it, "}, {sKey, "/"}, {sPlain, " changes it"}}}
	default:
		say = []line{text(sDim, "asking the server what it serves …")}
	}
	for y, s := range say {
		c.line(r, 3, 1+y, fitLine(s, r.w-4))
	}
	return true
}
