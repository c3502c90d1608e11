package conflicts

import (
	"fmt"
	"strings"
	"time"

	"kubarium/analysis/conflict"
	"kubarium/analysis/ownership"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// ownership shows the matrix of fields and managers, with what an apply asks for laid over it: as the request met it,
// or as force makes it.
func (x *Page) ownership(l *page.LineList, cl *conflict.Clash, object any) {
	f := cl.Flow
	m := ownership.MakeMatrix(f, object)
	after := x.forced
	if m.Counts[ownership.Clashes] == 0 && f.Conflict != nil {
		x.told(l, cl) // the causes are of fields that the body as kept does not show
		for _, c := range f.Conflict.Causes {
			l.Add(term.Err.Of("✗ "), term.Name.Of(strings.TrimPrefix(c.Field, ".")+"  "), term.Plain.Of(c.Message))
		}
	}
	l.Wrapped(term.Bold, "", x.ownershipHead(f, m, after))
	x.matrixTable(l, f, m, after)
	l.Blank()
	if after {
		l.Add(term.Err.Of("! "), term.Plain.Of("taken over by force   "), term.Dim.Of("◌ "), term.Plain.Of("gives it up   "), term.Plain.Of("■ owns   ▣ owns together with others"))
	} else {
		l.Item(0, term.Err.Of("✗ "), term.Plain.Of("wants another value   = the same value   + new   ◌ not named any more, gives it up   ■ owns   ▣ owns with others"))
	}
	if cl.Kind != conflict.ForcedOver {
		x.choices(l, m)
	}
	for i, o := range m.Owners {
		l.Add(term.Dim.Of(fmt.Sprintf("%c ", 'a'+rune(i%26))), term.Accent.Of(o.Name), term.Dim.Of(" by "+o.Operation+subresourceOf(o)+written(o, x.Env.Now())))
	}
}

func subresourceOf(o ownership.Owner) string {
	if o.Subresource == "" {
		return ""
	}
	return " of " + o.Subresource
}

// written says when a manager wrote last.
func written(o ownership.Owner, now time.Time) string {
	at, err := time.Parse(time.RFC3339, o.Time)
	if err != nil {
		return ""
	}
	return ", last at " + at.In(now.Location()).Format("15:04:05")
}

// ownershipHead is what happened, in a line.
func (x *Page) ownershipHead(f *flow.Flow, m *ownership.Matrix, after bool) string {
	who := fmt.Sprintf("%s applies as manager %s", f.Client.Tag, term.OrNone(m.Manager))
	switch {
	case after && m.Force:
		return who + " with force: who owns what after it. F shows it before:"
	case after:
		return who + ": who would own what after the same with force. F shows it as it is:"
	case m.Force:
		return fmt.Sprintf("%s with force, and took over %s. These are the owners before it; F shows them after it:",
			who, term.Plural(m.Counts[ownership.Clashes], "field"))
	}
	return fmt.Sprintf("%s without force, and was refused for %s. These are the owners; F shows them as they would be after force:", who, term.Plural(m.Counts[ownership.Clashes], "field"))
}

// choices are what the applier can do.
func (x *Page) choices(l *page.LineList, m *ownership.Matrix) {
	l.Wrapped(term.Plain, "", "Choose: leave the ✗ fields out and let their owner have them; ask for the stored value and share them; or force and own them alone.")
	if n := m.Counts[ownership.GivesUp]; n > 0 {
		l.Say(term.Plain, fmt.Sprintf("◌ %s that this manager owned and no longer names would be given up, and removed where no other manager owns it.", term.Plural(n, "field")))
	}
}

// matrixTable is a row for each field and a column for each owner, as many as there is room for.
func (x *Page) matrixTable(l *page.LineList, f *flow.Flow, m *ownership.Matrix, after bool) {
	name := min(40, max(22, l.W*38/100))
	wants := min(24, max(12, l.W*22/100))
	stored := min(20, max(10, l.W*16/100))
	room := l.W - name - wants - stored - 2
	column := max(4, min(16, room/max(1, len(m.Owners))))
	shown := max(1, min(len(m.Owners), room/column))
	head := term.Line{term.Head.Of(term.Pad("field", name)), term.Head.Of(term.Pad(term.Pick(after, "after", "stored"), stored))}
	for i := range min(shown, len(m.Owners)) {
		head = append(head, term.Head.Of(term.Pad(term.Pick(column < 8, fmt.Sprintf(" %c", 'a'+rune(i%26)), term.Fit(m.Owners[i].Name, column-1)), column)))
	}
	l.Add(append(head, term.Head.Of(term.Fit(term.Pick(after, "then owned by "+m.Manager, "request of "+m.Manager), wants+8)))...)
	for i := range m.Rows {
		l.Add(x.matrixRow(f, m, &m.Rows[i], name, stored, wants, shown, column, after)...)
	}
}

func (x *Page) matrixRow(f *flow.Flow, m *ownership.Matrix, r *ownership.Row, name, stored, wants, shown, column int, after bool) term.Line {
	value := r.Stored
	if after {
		value = m.ValueAfter(r)
	}
	quiet := term.Pick(r.What == ownership.Ignores, term.Dim, term.Plain)
	l := term.Line{term.Pick(r.What == ownership.Ignores, term.Dim, term.Name).Of(term.Pad(label.ShortPath(r.Path, name-1), name)), quiet.Of(term.Pad(x.value(f, r.Path, value, stored-1), stored))}
	for i := range min(shown, len(r.Owns)) {
		st, sign := ownerSign(m, r, i, after)
		l = append(l, st.Of(term.Pad(" "+sign, column)))
	}
	st, sign := demandSign(m, r, after)
	text := sign
	if r.Wants != nil && !after {
		text += " " + x.value(f, r.Path, r.Wants, wants)
	}
	return append(l, st.Of(text))
}

// ownerSign is the sign of owner i in the row of a field.
func ownerSign(m *ownership.Matrix, r *ownership.Row, i int, after bool) (term.Style, string) {
	had, total := r.Owns[i], m.Others(r)
	has := had
	if after {
		owns, mine := m.OwnsAfter(r)
		has = owns[i]
		if mine {
			total = term.Pick(r.What == ownership.Clashes, 0, total) + 1
		}
	} else if r.Mine {
		total++
	}
	switch {
	case had && !has:
		return term.Del, "◌"
	case has && m.Mine(i) && after && r.What == ownership.Clashes:
		return term.Err, "!"
	case has && total > 1:
		return term.Plain, "▣"
	case has:
		return term.Bold, "■"
	}
	return term.Dim, "·"
}

// demandSign is the sign of the request in the row of a field.
func demandSign(m *ownership.Matrix, r *ownership.Row, after bool) (term.Style, string) {
	if after {
		switch {
		case r.What == ownership.Clashes:
			return term.Err, "! forced over"
		case r.What == ownership.GivesUp:
			return term.Del, term.Pick(m.Others(r) == 0, "◌ given up: removed", "◌ given up")
		case r.What == ownership.Shares:
			return term.Plain, "▣ shared"
		case r.What == ownership.Sets:
			return term.Bold, "■"
		}
		return term.Dim, ""
	}
	switch r.What {
	case ownership.Clashes:
		return term.Err, "✗"
	case ownership.GivesUp:
		return term.Del, "◌"
	case ownership.Shares, ownership.Sets:
		return term.Plain, term.Pick(r.Stored == nil, "+", term.Pick(object.Same(r.Stored, r.Wants), "=", "→"))
	}
	return term.Dim, ""
}
