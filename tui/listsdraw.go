package tui

import (
	"fmt"

	"kubarium/server/flow/listing"
)

func (l *lists) title(i int) (title, note line) {
	w := l.selected()
	switch {
	case i == 0:
		return text(l.u.titleStyle(0), "lists"), text(sDim, "a chunked list is one line, on one snapshot")
	case w == nil:
		return text(sDim, "list"), nil
	}
	st, words := standingWords(w.Standing(l.u.time.compacted))
	return line{{l.u.titleStyle(1), fmt.Sprintf("#%d ", w.ID)}, {sAccent, w.First().Flow.Client.Tag + " "}, {st, words}, {sPlain, ": list " + whatListed(w)}}, nil
}

func (l *lists) draw(c *canvas, i int, r rect) {
	w := l.selected()
	switch {
	case w == nil && (i == 0 || l.u.hasKeys(1)):
		l.drawEmpty(c, r)
	case w == nil:
	case i == 0:
		l.drawList(c, r)
	default:
		s := &lineList{w: r.w - 3}
		l.pages(s, w)
		l.sheet.set(w.ID, s.out)
		l.sheet.draw(c, r, l.u.hasKeys(1), l.u.rowStyle(1))
	}
}

func (l *lists) drawEmpty(c *canvas, r rect) {
	if n := len(l.u.walks.All); n > 0 && l.u.feed.match != nil {
		c.line(r, 3, 1, line{{sBold, fmt.Sprintf("0 of %s pass the filter; ", plural(n, "list"))}, {sKey, "*"}, {sBold, " clears it"}})
		return
	}
	for y, s := range []line{
		text(sBold, "Nothing was listed yet."),
		text(sPlain, "In another window, a list in chunks of two:"),
		text(sAccent, "  kubectl"+l.u.serverFlag()+" get clusterroles --chunk-size=2"),
	} {
		c.line(r, 3, 1+y, fitLine(s, r.w-4))
	}
	if n := len(l.u.walks.All); n > 0 {
		c.line(r, 3, 5, fitLine(line{{sDim, plural(n, "list") + " of Kubarium's own controllers are hidden; "}, {sKey, "v"}, {sDim, " on Traffic shows them"}}, r.w-4))
	}
}

// listColumns are the widths of the columns.
type listColumns struct{ time, what, snapshot, pages, items, left, from, form, state int }

func planLists(w int) listColumns {
	p := listColumns{time: 9, snapshot: 9, pages: 6, items: 8, left: 13, from: 6, form: 9, state: 15}
	switch {
	case w < 100:
		p = listColumns{snapshot: 8, pages: 6, items: 7, left: 13, state: 15}
	case w < 120:
		p.form = 0
	}
	p.what = max(8, w-2-6-6-p.time-p.snapshot-p.pages-p.items-p.left-p.from-p.form-p.state)
	return p
}

// drawList shows one line for each walk.
func (l *lists) drawList(c *canvas, r rect) {
	if r.empty() {
		return
	}
	p := planLists(r.w)
	c.line(r, 2, 0, p.line(sHead, "seq", "+s", pad("who", 6), "what", pick(p.snapshot > 8, "snapshot", "rv"), "pages", "items", "left", "from", "form", sHead, "state"))
	l.tall = r.h - 1
	l.top = max(0, min(l.top, l.cursor, len(l.list)-l.tall), l.cursor-l.tall+1)
	for y := 0; y < l.tall && l.top+y < len(l.list); y++ {
		row := r.row(y + 1)
		w := l.list[l.top+y]
		f := w.First().Flow
		st, state := standingWords(w.Standing(l.u.time.compacted))
		c.line(row, 2, 0, p.line(sPlain, fmt.Sprint(w.ID), seconds(f.Start.Sub(l.u.feed.first)), pad(fit(f.Client.Tag, 5), 6), shorter.Replace(whatListed(w)),
			revision(w.First().Snapshot), fmt.Sprint(w.Pages()), count(w.Items()), remaining(w), sourceOf(w), w.Last().Form, st, state))
		if l.top+y == l.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, l.u.rowStyle(0))
		}
	}
}

// line is one row of the table.
func (p listColumns) line(st style, seq, at, who, what, snapshot, pages, items, left, from, form string, last style, state string) line {
	dim := pick(st == sHead, sHead, sDim)
	right := func(s string, w int) string { return pick(w == 0, "", fmt.Sprintf("%*s ", max(0, w-1), fit(s, w-1))) }
	leftward := func(s string, w int) string { return pick(w == 0, "", pad(fit(s, w-1), w)) }
	return line{{dim, right(seq, 6)}, {dim, right(at, p.time)}, {pick(st == sHead, sHead, sAccent), who}, {st, leftward(what, p.what)},
		{dim, right(snapshot, p.snapshot)}, {st, right(pages, p.pages)}, {st, right(items, p.items)}, {st, right(left, p.left)},
		{dim, leftward(from, p.from)}, {dim, leftward(form, p.form)}, {last, leftward(state, p.state)}}
}

// sourceOf names where the objects of a walk came from.
func sourceOf(w *listing.Walk) string {
	cache, sql := false, false
	for i := range w.Chunks {
		cache = cache || w.Chunks[i].Source == "cache"
		sql = sql || w.Chunks[i].Source == "history"
	}
	switch {
	case cache && sql:
		return "both"
	case sql:
		return "SQL"
	}
	return "cache"
}
