package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// rows are the requests of a client in order, those that both runs have at the place of the left one.
func (m *match) rows(n *names) []Row {
	rows := make([]Row, 0, max(len(m.left), len(m.right)))
	g := gap{match: m, names: n}
	for l, it := range m.left {
		r := m.toRight[l]
		if r < 0 || m.moved[l] {
			continue
		}
		rows = g.fill(rows, l, r, it.at)
		both := m.both(it, m.right[r], false, n)
		both.place = it.at
		rows = append(rows, both)
		g.left, g.right, g.leftAt, g.rightAt = l+1, r+1, it.at, m.right[r].at
	}
	return g.fill(rows, len(m.left), len(m.right), math.MaxInt64)
}

// A gap is what lies between two requests that both runs have.
type gap struct {
	match           *match
	names           *names
	left, right     int           // the first items in it
	leftAt, rightAt time.Duration // of the requests before it
}

// fill adds the rows of a gap that goes up to two items, in the order of time since its begin. Its place in the order
// of all rows is by the left run, so what the right run has took as long there as here, but comes before the end.
func (g *gap) fill(rows []Row, toLeft, toRight int, end time.Duration) []Row {
	m := g.match
	last := g.leftAt
	add := func(row Row, since time.Duration) {
		row.place = min(max(last, g.leftAt+since), end)
		last = row.place
		rows = append(rows, row)
	}
	l, r := g.left, g.right
	for l < toLeft || r < toRight {
		if r < toRight && (l == toLeft || m.right[r].at-g.rightAt < m.left[l].at-g.leftAt) {
			if it := m.right[r]; m.toLeft[r] < 0 {
				add(Row{Kind: OnlyRight, Soft: m.softR[r], Client: m.name, Right: it.flow, RightAt: it.at}, it.at-g.rightAt)
			}
			r++
			continue
		}
		it := m.left[l]
		if to := m.toRight[l]; to >= 0 {
			add(m.both(it, m.right[to], true, g.names), it.at-g.leftAt)
		} else {
			add(Row{Kind: OnlyLeft, Soft: m.softL[l], Client: m.name, Left: it.flow, LeftAt: it.at}, it.at-g.leftAt)
		}
		l++
	}
	return rows
}

// both compares the two requests of a pair.
func (m *match) both(l, r *item, moved bool, n *names) Row {
	row := Row{Kind: Same, Client: m.name, Left: l.flow, Right: r.flow, LeftAt: l.at, RightAt: r.at}
	switch {
	case l.outcome != r.outcome:
		row.Kind, row.Differs = Different, fmt.Sprintf("answered %s, then %s", Answer(l.flow), Answer(r.flow))
	case l.user != r.user:
		row.Kind, row.Differs = Different, fmt.Sprintf("sent by %s, then by %s",
			cmp.Or(l.flow.Client.User, "an unknown user"), cmp.Or(r.flow.Client.User, "an unknown user"))
	case !l.cut && !r.cut && l.body != r.body:
		row.Kind, row.Differs = Different, differing(l.flow, r.flow, n)
	}
	switch {
	case row.Kind == Different:
		row.Soft = ofItself(l.flow)
	case moved:
		row.Kind, row.Soft = Different, Reordered
		row.Differs = "sent elsewhere in the order of its client's requests"
	}
	return row
}

// sortRows puts the rows of all clients into one order, in which each client keeps its own.
func sortRows(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.place, b.place) })
}
