package tui

import (
	"fmt"
	"strings"

	"kubarium/server/flow/deletion"
)

func (d *deletes) title(i int) (title, note line) {
	x := d.selected()
	switch {
	case i == 0:
		return text(d.u.titleStyle(0), "deletes"), text(sDim, "◌ terminating  ✓ gone  └ deleted because of the line above")
	case x == nil:
		return text(sDim, "deletion"), nil
	}
	st, state := d.state(x)
	return line{{d.u.titleStyle(1), refText(x.Ref) + ": "}, {st, state}}, nil
}

func (d *deletes) draw(c *canvas, i int, r rect) {
	x := d.selected()
	switch {
	case x == nil && (i == 0 || d.u.hasKeys(1)):
		d.drawEmpty(c, r)
	case x == nil:
	case i == 0:
		d.drawList(c, r)
	default:
		l := &lineList{w: r.w - 3}
		d.phases(l, x)
		d.sheet.set(x.ID, l.out)
		d.sheet.draw(c, r, d.u.hasKeys(1), d.u.rowStyle(1))
	}
}

func (d *deletes) drawEmpty(c *canvas, r rect) {
	hidden := len(d.All)
	switch {
	case hidden > 0 && d.u.feed.match != nil:
		c.line(r, 3, 1, line{{sBold, fmt.Sprintf("0 of %s pass the filter; ", plural(hidden, "deletion"))}, {sKey, "*"}, {sBold, " clears it"}})
		return
	case hidden > 0:
		c.line(r, 3, 1, fitLine(line{{sBold, plural(hidden, "deletion") + " by Kubarium's own controllers alone; "}, {sKey, "v"}, {sBold, " on Traffic shows what is its own"}}, r.w-4))
		return
	}
	k := "  kubectl" + d.u.serverFlag()
	for y, l := range []line{
		text(sBold, "Nothing is terminating, and nothing was deleted since the UI started."),
		text(sPlain, "In another window, an object that a finalizer holds:"),
		text(sAccent, k+" create cm held"),
		text(sAccent, k+" patch cm held -p '{\"metadata\":{\"finalizers\":[\"example.io/backup\"]}}'"),
		text(sAccent, k+" delete cm held --wait=false"),
	} {
		c.line(r, 3, 1+y, fitLine(l, r.w-4))
	}
}

// drawList shows one line for each deletion.
func (d *deletes) drawList(c *canvas, r rect) {
	if r.empty() {
		return
	}
	wide := r.w >= 100
	who := pick(r.w >= slimWidth, 12, 6)
	what := max(16, r.w-2-who-pick(wide, 9+14, 0)-34)
	head := line{{sHead, pad("who", who)}}
	if wide {
		head = append(head, span{sHead, fmt.Sprintf("%8s ", "+s")})
	}
	head = append(head, span{sHead, pad("object", what)}, span{sHead, pad("state", 34)})
	if wide {
		head = append(head, span{sHead, "rv"})
	}
	c.line(r, 2, 0, fitLine(head, r.w-2))
	d.tall = r.h - 1
	d.top = max(0, min(d.top, d.cursor, len(d.rows)-d.tall), d.cursor-d.tall+1)
	for y := 0; y < d.tall && d.top+y < len(d.rows); y++ {
		row := r.row(y + 1)
		c.line(row, 2, 0, fitLine(d.rowLine(&d.rows[d.top+y], who, what, wide), row.w-2))
		if d.top+y == d.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, d.u.rowStyle(0))
		}
	}
}

func (d *deletes) rowLine(t *deletion.Row, who, what int, wide bool) line {
	x := t.Deletion
	by, at := fit(x.Began.Who, who-1), seconds(x.Began.At.Sub(d.u.feed.first))
	if x.Began.Seq == 0 {
		by, at = "–", "before" // the UI began
	}
	l := line{{sAccent, pad(by, who)}}
	if wide {
		l = append(l, span{sDim, fmt.Sprintf("%8s ", at)})
	}
	sign, st := "✓ ", sDim
	if x.Gone.Zero() {
		sign, st = "◌ ", sWarn
	}
	tree := ""
	if t.Depth > 0 {
		tree = strings.Repeat("  ", t.Depth-1) + "└ "
	}
	more := ""
	if t.More > 0 {
		more = fmt.Sprintf(" and %s more", count(t.More))
	}
	room := what - text(sPlain, tree+sign).width()
	name := objectNameIn(commitOf(x.Ref), room-1-text(sPlain, more).width()) + more
	l = append(l, span{sDim, tree}, span{st, sign}, span{pick(x.Gone.Zero(), sPlain, sDim), pad(fit(name, room-1), room)})
	sst, state := d.state(x)
	if t.More > 0 {
		sst, state = sDim, "all gone"
	}
	l = append(l, span{sst, pad(fit(state, 33), 34)})
	if wide {
		rvs := fmt.Sprint(x.Began.Revision)
		if x.TwoPhase() && !x.Gone.Zero() {
			rvs += fmt.Sprintf(" → %d", x.Gone.Revision)
		}
		l = append(l, span{sDim, rvs})
	}
	return l
}

// state says in a few words how far a deletion has come.
func (d *deletes) state(x *deletion.Deletion) (style, string) {
	now := d.u.now()
	switch n := x.Held(); {
	case !x.Gone.Zero() && !x.TwoPhase():
		return sDim, "gone at once"
	case !x.Gone.Zero():
		return sDim, "gone after " + ago(x.Took(now))
	case n == 0 && x.Grace > 0:
		return sWarn, fmt.Sprintf("grace of %d s, for %s", x.Grace, ago(x.Took(now)))
	case len(x.Holds) > 0:
		return sWarn, fmt.Sprintf("held by %d of %s, %s", n, plural(len(x.Holds), "finalizer"), ago(x.Took(now)))
	}
	return sWarn, "terminating for " + ago(x.Took(now))
}
