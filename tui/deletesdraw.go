package tui

import (
	"fmt"
	"strings"
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
	return line{{d.u.titleStyle(1), x.ref.text() + ": "}, {st, state}}, nil
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
		d.sheet.set(x.id, l.out)
		d.sheet.draw(c, r, d.u.hasKeys(1), d.u.rowStyle(1))
	}
}

func (d *deletes) drawEmpty(c *canvas, r rect) {
	hidden := len(d.all)
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

func (d *deletes) rowLine(t *treeRow, who, what int, wide bool) line {
	x := t.deletion
	by, at := fit(x.began.who, who-1), seconds(x.began.at.Sub(d.u.feed.first))
	if x.began.seq == 0 {
		by, at = "–", "before" // the UI began
	}
	l := line{{sAccent, pad(by, who)}}
	if wide {
		l = append(l, span{sDim, fmt.Sprintf("%8s ", at)})
	}
	sign, st := "✓ ", sDim
	if x.gone.zero() {
		sign, st = "◌ ", sWarn
	}
	tree := ""
	if t.depth > 0 {
		tree = strings.Repeat("  ", t.depth-1) + "└ "
	}
	more := ""
	if t.more > 0 {
		more = fmt.Sprintf(" and %s more", count(t.more))
	}
	room := what - text(sPlain, tree+sign).width()
	name := objectNameIn(x.ref.commit(), room-1-text(sPlain, more).width()) + more
	l = append(l, span{sDim, tree}, span{st, sign}, span{pick(x.gone.zero(), sPlain, sDim), pad(fit(name, room-1), room)})
	sst, state := d.state(x)
	if t.more > 0 {
		sst, state = sDim, "all gone"
	}
	l = append(l, span{sst, pad(fit(state, 33), 34)})
	if wide {
		rvs := fmt.Sprint(x.began.revision)
		if x.twoPhase() && !x.gone.zero() {
			rvs += fmt.Sprintf(" → %d", x.gone.revision)
		}
		l = append(l, span{sDim, rvs})
	}
	return l
}

// state says in a few words how far a deletion has come.
func (d *deletes) state(x *deletion) (style, string) {
	now := d.u.now()
	switch n := x.held(); {
	case !x.gone.zero() && !x.twoPhase():
		return sDim, "gone at once"
	case !x.gone.zero():
		return sDim, "gone after " + ago(x.took(now))
	case n == 0 && x.grace > 0:
		return sWarn, fmt.Sprintf("grace of %d s, for %s", x.grace, ago(x.took(now)))
	case len(x.holds) > 0:
		return sWarn, fmt.Sprintf("held by %d of %s, %s", n, plural(len(x.holds), "finalizer"), ago(x.took(now)))
	}
	return sWarn, "terminating for " + ago(x.took(now))
}
