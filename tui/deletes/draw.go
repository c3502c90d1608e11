package deletes

import (
	"fmt"
	"strings"

	"kubarium/analysis/deletion"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

func (d *Page) heading(t *deletion.Row) term.Line {
	st, state := d.State(t.Deletion)
	return term.Line{d.Env.TitleStyle(1).Of(label.Ref(t.Ref) + ": "), st.Of(state)}
}

// notice says why no deletion is shown, and how one is made that waits.
func (d *Page) notice(int) []term.Line {
	if hidden := len(d.All); hidden > 0 {
		return []term.Line{{term.Bold.Of(term.Plural(hidden, "deletion") + " by Kubarium's own controllers alone; "),
			term.Key.Of("v"),
			term.Bold.Of(" on Traffic shows what is its own")}}
	}
	k := d.Env.Kubectl()
	return append([]term.Line{term.Text(term.Bold,
		"Nothing is terminating, and nothing was deleted "+d.Env.Since()+".")},
		d.Env.Try(", an object that a finalizer holds", k+" create cm held",
			k+" patch cm held -p '{\"metadata\":{\"finalizers\":[\"example.io/backup\"]}}'",
			k+" delete cm held --wait=false")...)
}

// columns describe the list of deletions; w is what they have room in.
func (d *Page) columns(w int) []term.TableColumn[*deletion.Row] {
	type row = *deletion.Row
	return []term.TableColumn[row]{
		{Name: "who", Width: term.Pick(w >= page.SlimWidth-2, 11, 5), Cell: func(t row) term.Span { return term.Accent.Of(term.Pick(t.Began.Seq == 0, "–", t.Began.Who)) }},
		{Name: "+s", Width: 8, From: 98, Right: true, Cell: d.whenCell},
		{Name: "object", Least: 15, Cells: objectCells},
		{Name: "state", Width: 33, Cell: d.stateCell},
		{Name: "rv", Width: 13, From: 98, Cell: revisionsCell},
	}
}

func (d *Page) whenCell(t *deletion.Row) term.Span {
	if t.Began.Seq == 0 {
		return term.Dim.Of("before") // the UI began
	}
	return term.Dim.Of(label.Seconds(t.Began.At.Sub(d.Env.Feed.First)))
}

// objectCells are the object with a sign that says whether it is gone, below what it was deleted because of.
func objectCells(t *deletion.Row, w int) term.Line {
	sign, st, look := "✓ ", term.Dim, term.Dim
	if t.Gone.Zero() {
		sign, st, look = "◌ ", term.Warn, term.Plain
	}
	tree, more := "", ""
	if t.Depth > 0 {
		tree = strings.Repeat("  ", t.Depth-1) + "└ "
	}
	if t.More > 0 {
		more = fmt.Sprintf(" and %s more", term.Count(t.More))
	}
	room := w - term.Text(term.Plain, tree+sign+more).Width()
	return term.Line{term.Dim.Of(tree), st.Of(sign), look.Of(label.ObjectIn(label.CommitOf(t.Ref), room) + more)}
}

func (d *Page) stateCell(t *deletion.Row) term.Span {
	if t.More > 0 {
		return term.Dim.Of("all gone")
	}
	st, state := d.State(t.Deletion)
	return st.Of(state)
}

// revisionsCell are the versions of the two phases.
func revisionsCell(t *deletion.Row) term.Span {
	rvs := rv(t.Began)
	if t.TwoPhase() && !t.Gone.Zero() {
		rvs += " → " + strings.TrimPrefix(rv(t.Gone), "rv ")
	}
	return term.Dim.Of(strings.TrimPrefix(rvs, "rv "))
}

// State says in a few words how far a deletion has come.
func (d *Page) State(x *deletion.Deletion) (term.Style, string) {
	now := d.Env.Now()
	switch n := x.Held(); {
	case !x.Gone.Zero() && !x.TwoPhase():
		return term.Dim, "gone at once"
	case !x.Gone.Zero():
		return term.Dim, "gone after " + term.Ago(x.Took(now))
	case n == 0 && x.Grace > 0:
		return term.Warn, fmt.Sprintf("grace of %d s, for %s", x.Grace, term.Ago(x.Took(now)))
	case len(x.Holds) > 0:
		return term.Warn, fmt.Sprintf("held by %d of %s, %s", n, term.Plural(len(x.Holds), "finalizer"), term.Ago(x.Took(now)))
	}
	return term.Warn, "terminating for " + term.Ago(x.Took(now))
}
