package tui

import (
	"fmt"

	"kubarium/server/flow"
	"kubarium/server/flow/conflict"
)

func (x *conflicts) title(i int) (title, note line) {
	c := x.selected()
	switch {
	case i == 0:
		return text(x.u.titleStyle(0), "conflicts"), text(sDim, "409s by kind, and overwrites that nothing refused")
	case c == nil:
		return text(sDim, "conflict"), nil
	}
	title = line{{x.u.titleStyle(1), fmt.Sprintf("#%d ", c.Flow.Seq)}, {sAccent, c.Flow.Client.Tag + " "}, {sPlain, c.Flow.Target.Verb + " " + targetText(c.Flow) + ": "}, {sWarn, c.Kind}}
	return title, nil
}

// draw shows the list, or the chosen clash.
func (x *conflicts) draw(c *canvas, i int, r rect) {
	for _, cl := range x.list {
		x.seen = max(x.seen, cl.Flow.Seq)
	}
	switch {
	case len(x.list) == 0 && (i == 0 || x.u.hasKeys(1)):
		x.drawEmpty(c, r)
	case len(x.list) == 0:
	case i == 0:
		x.drawList(c, r)
	default:
		x.build(r.w - 3)
		x.sheet.draw(c, r, x.u.hasKeys(1), x.u.rowStyle(1))
	}
}

func (x *conflicts) drawEmpty(c *canvas, r rect) {
	if n := len(x.all); n > 0 && x.u.feed.match != nil {
		c.line(r, 3, 1, line{{sBold, fmt.Sprintf("0 of %s pass the filter; ", plural(n, "conflict"))}, {sKey, "*"}, {sBold, " clears it"}})
		return
	}
	k := "  kubectl" + x.u.serverFlag()
	for y, l := range []line{
		text(sBold, "No write has met another one."),
		text(sPlain, "In another window, two managers that want different values:"),
		text(sAccent, k+" create cm c --from-literal=k=1"),
		text(sAccent, "  echo '{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"2\"}}' |"),
		text(sAccent, "   "+k+" apply --server-side -f -"),
	} {
		c.line(r, 3, 1+y, fitLine(l, r.w-4))
	}
}

// drawList shows one line for each clash.
func (x *conflicts) drawList(c *canvas, r rect) {
	wide := r.w >= 100
	target := r.w - 2 - 6 - 5 - 8 - 5 - 24 - 1
	if wide {
		target -= 9 + 20
	}
	heads := line{{sHead, fmt.Sprintf("%5s ", "seq")}}
	if wide {
		heads = append(heads, span{sHead, fmt.Sprintf("%8s ", "+s")})
	}
	heads = append(heads, span{sHead, pad("who", 5)}, span{sHead, pad("verb", 8)}, span{sHead, pad("target", target)},
		span{sHead, pad("code", 5)}, span{sHead, pad("what met", 24)})
	if wide {
		heads = append(heads, span{sHead, "sent ≠ stored"})
	}
	c.line(r, 2, 0, heads)
	x.tall = r.h - 1
	x.top = max(0, min(x.top, x.cursor, len(x.list)-x.tall), x.cursor-x.tall+1)
	for y := 0; y < x.tall && x.top+y < len(x.list); y++ {
		row := r.row(y + 1)
		x.drawClash(c, row, x.list[x.top+y], target, wide)
		if x.top+y == x.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, x.u.rowStyle(0))
		}
	}
}

func (x *conflicts) drawClash(c *canvas, r rect, cl *conflict.Clash, target int, wide bool) {
	f := cl.Flow
	st, code := codeText(f)
	l := line{{sDim, fmt.Sprintf("%5d ", f.Seq)}}
	if wide {
		l = append(l, span{sDim, fmt.Sprintf("%8s ", seconds(f.Start.Sub(x.u.feed.first)))})
	}
	name := targetText(f)
	if cl.Met != "" {
		name += "/" + cl.Met
	}
	name += targetExtra(f)
	l = append(l, span{sAccent, pad(fit(f.Client.Tag, 4), 5)}, span{sWrite, pad(shortVerb(f.Target.Verb), 8)}, span{sPlain, pad(fit(name, target-1), target)},
		span{st, pad(code, 5)}, span{pick(f.Status == 409, sPlain, sWarn), pad(fit(cl.Kind, 23), 24)})
	if wide {
		l = append(l, span{sDim, versionsText(cl)})
	}
	c.line(r, 2, 0, fitLine(l, r.w-2))
}

// versionsText is the two versions that met, as far as the kind has them.
func versionsText(cl *conflict.Clash) string {
	c := cl.Flow.Conflict
	switch {
	case cl.Kind == conflict.SilentOverwrite:
		return "no rv sent"
	case c == nil || c.Stored == 0:
		return "–"
	case c.Kind == flow.StaleRevision:
		return fmt.Sprintf("%d ≠ %d", c.Sent, c.Stored)
	case c.Kind == flow.FieldOwnership:
		return plural(len(c.Causes), "field")
	}
	return fmt.Sprintf("stored at %d", c.Stored)
}
