package tui

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"kubarium/server/flow"
)

func hasForce(query string) bool {
	q, _ := url.ParseQuery(query)
	return q.Get("force") == "true"
}

// ownership shows the matrix of fields and managers, with what an apply asks for laid over it: as the request met it, or
// as force makes it.
func (x *conflicts) ownership(l *lineList, cl *clash, object any) {
	f := cl.flow
	m := makeMatrix(f, object)
	after := x.forced
	if m.counts[clashes] == 0 && f.Conflict != nil {
		x.told(l, cl) // the causes are of fields that the body as kept does not show
		for _, c := range f.Conflict.Causes {
			l.add(span{sErr, "✗ "}, span{sName, strings.TrimPrefix(c.Field, ".") + "  "}, span{sPlain, c.Message})
		}
	}
	l.wrapped(sBold, "", x.ownershipHead(f, m, after))
	x.matrixTable(l, f, m, after)
	l.blank()
	if after {
		l.add(span{sErr, "! "}, span{sPlain, "taken over by force   "}, span{sDim, "◌ "}, span{sPlain, "gives it up   "}, span{sPlain, "■ owns   ▣ owns together with others"})
	} else {
		l.item(0, span{sErr, "✗ "}, span{sPlain, "wants another value   = the same value   + new   ◌ not named any more, gives it up   ■ owns   ▣ owns with others"})
	}
	if cl.kind != forcedOver {
		x.choices(l, m)
	}
	for i, o := range m.owners {
		l.add(span{sDim, fmt.Sprintf("%c ", 'a'+rune(i%26))}, span{sAccent, o.name}, span{sDim, " by " + o.operation + subresourceOf(o) + written(o, x.u.now())})
	}
}

func subresourceOf(o fieldOwner) string {
	if o.subresource == "" {
		return ""
	}
	return " of " + o.subresource
}

// written says when a manager wrote last.
func written(o fieldOwner, now time.Time) string {
	at, err := time.Parse(time.RFC3339, o.time)
	if err != nil {
		return ""
	}
	return ", last at " + at.In(now.Location()).Format("15:04:05")
}

// ownershipHead is what happened, in a line.
func (x *conflicts) ownershipHead(f *flow.Flow, m *matrix, after bool) string {
	who := fmt.Sprintf("%s applies as manager %s", f.Client.Tag, orNone(m.manager))
	switch {
	case after && m.force:
		return who + " with force: who owns what after it. F shows it before:"
	case after:
		return who + ": who would own what after the same with force. F shows it as it is:"
	case m.force:
		return fmt.Sprintf("%s with force, and took over %s. Who owned what before it; F shows it after:", who, plural(m.counts[clashes], "field"))
	}
	return fmt.Sprintf("%s without force, and was refused for %s. Who owns what; F shows it as it would be after force:", who, plural(m.counts[clashes], "field"))
}

// choices are what the applier can do.
func (x *conflicts) choices(l *lineList, m *matrix) {
	l.wrapped(sPlain, "", "Choose: leave the ✗ fields out and let their owner have them; ask for the stored value and share them; or force and own them alone.")
	if n := m.counts[givesUp]; n > 0 {
		l.say(sPlain, fmt.Sprintf("◌ %s that this manager owned and no longer names would be given up, and removed where nobody else owns it.", plural(n, "field")))
	}
}

// matrixTable is a row for each field and a column for each owner, as many as there is room for.
func (x *conflicts) matrixTable(l *lineList, f *flow.Flow, m *matrix, after bool) {
	name := min(40, max(22, l.w*38/100))
	wants := min(24, max(12, l.w*22/100))
	stored := min(20, max(10, l.w*16/100))
	room := l.w - name - wants - stored - 2
	column := max(4, min(16, room/max(1, len(m.owners))))
	shown := max(1, min(len(m.owners), room/column))
	head := line{{sHead, pad("field", name)}, {sHead, pad(pick(after, "after", "stored"), stored)}}
	for i := range min(shown, len(m.owners)) {
		head = append(head, span{sHead, pad(pick(column < 8, fmt.Sprintf(" %c", 'a'+rune(i%26)), fit(m.owners[i].name, column-1)), column)})
	}
	l.add(append(head, span{sHead, fit(pick(after, "then owned by "+m.manager, "request of "+m.manager), wants+8)})...)
	for i := range m.rows {
		l.add(x.matrixRow(f, m, &m.rows[i], name, stored, wants, shown, column, after)...)
	}
}

func (x *conflicts) matrixRow(f *flow.Flow, m *matrix, r *matrixRow, name, stored, wants, shown, column int, after bool) line {
	value := r.stored
	if after {
		value = m.valueAfter(r)
	}
	quiet := pick(r.what == ignores, sDim, sPlain)
	l := line{{pick(r.what == ignores, sDim, sName), pad(shortPath(r.path, name-1), name)}, {quiet, pad(x.value(f, r.path, value, stored-1), stored)}}
	for i := range min(shown, len(r.owns)) {
		st, sign := m.sign(r, i, after)
		l = append(l, span{st, pad(" "+sign, column)})
	}
	st, sign := m.demandSign(r, after)
	text := sign
	if r.wants != nil && !after {
		text += " " + x.value(f, r.path, r.wants, wants)
	}
	return append(l, span{st, text})
}

// valueAfter is the field's value once the apply went through with force; nil if the field is gone.
func (m *matrix) valueAfter(r *matrixRow) any {
	switch {
	case r.wants != nil:
		return r.wants
	case r.what == givesUp && m.others(r) == 0:
		return nil
	}
	return r.stored
}

// others counts the owners of a field beside the manager that applies.
func (m *matrix) others(r *matrixRow) int {
	n := 0
	for i := range r.owns {
		if r.owns[i] && !m.owners[i].is(m.manager, true) {
			n++
		}
	}
	return n
}

// sign is what stands for owner i in the row of a field.
func (m *matrix) sign(r *matrixRow, i int, after bool) (style, string) {
	mine := m.owners[i].is(m.manager, true)
	total := m.others(r)
	had := r.owns[i]
	has := had
	if after {
		switch {
		case mine:
			has = r.wants != nil
		case r.what == clashes:
			has = false
		}
		if r.wants != nil {
			total = pick(r.what == clashes, 0, total) + 1
		}
	} else if r.mine {
		total++
	}
	switch {
	case had && !has:
		return sDel, "◌"
	case has && mine && after && r.what == clashes:
		return sErr, "!"
	case has && total > 1:
		return sPlain, "▣"
	case has:
		return sBold, "■"
	}
	return sDim, "·"
}

// demandSign is what stands for the request in the row of a field.
func (m *matrix) demandSign(r *matrixRow, after bool) (style, string) {
	if after {
		switch {
		case r.what == clashes:
			return sErr, "! forced over"
		case r.what == givesUp:
			return sDel, pick(m.others(r) == 0, "◌ given up: removed", "◌ given up")
		case r.what == shares:
			return sPlain, "▣ shared"
		case r.what == sets:
			return sBold, "■"
		}
		return sDim, ""
	}
	switch r.what {
	case clashes:
		return sErr, "✗"
	case givesUp:
		return sDel, "◌"
	case shares, sets:
		return sPlain, pick(r.stored == nil, "+", pick(same(r.stored, r.wants), "=", "→"))
	}
	return sDim, ""
}
