package term_test

import (
	"strings"
	"testing"

	"kubarium/tui/term"
)

// A fish is a row of the tables here.
type fish struct{ name, kind, weight string }

var fishes = []fish{{"Wanda", "angelfish", "3"}, {"Cleo", "goldfish", "12"}}

func fishColumns() []term.TableColumn[fish] {
	return []term.TableColumn[fish]{
		{Name: "name", Width: 6, Cell: func(f fish) term.Span { return term.Plain.Of(f.name) }},
		{Name: "kind", Least: 3, Cell: func(f fish) term.Span { return term.Dim.Of(f.kind) }},
		{Name: "kg", Width: 3, From: 20, Right: true, Cell: func(f fish) term.Span { return term.Num.Of(f.weight) }},
	}
}

// tableText returns a table as text, one row a line.
func tableText(t term.Table[fish], rows []fish) string {
	out := []string{t.Heading().String()}
	for _, r := range rows {
		out = append(out, t.Row(r).String())
	}
	return strings.Join(out, "\n")
}

// Columns have their width, share the rest, are cut, are right-aligned, and are left out if there is no room.
func TestTable_Widths(t *testing.T) {
	for w, want := range map[int]string{
		24: "name   kind          kg\nWanda  angelfish      3\nCleo   goldfish      12",
		20: "name   kind      kg\nWanda  angelfi…   3\nCleo   goldfish  12",
		16: "name   kind\nWanda  angelfi…\nCleo   goldfish",
		9:  "name   ki…\nWanda  an…\nCleo   go…",
	} {
		table := term.PlanTable(w, 1, fishColumns(), nil)
		if got := tableText(table, fishes); got != want {
			t.Errorf("in %d cells:\n%s\nwant:\n%s", w, got, want)
		}
	}
}

// Columns may be as wide as their contents; the widest are narrowed if there is not enough room, down to a minimum.
func TestTable_AsShown(t *testing.T) {
	cols := []term.TableColumn[fish]{
		{Name: "NAME", Width: term.AsShown, Cell: func(f fish) term.Span { return term.Plain.Of(f.name) }},
		{Name: "KIND", Width: term.AsShown, Cell: func(f fish) term.Span { return term.Plain.Of(f.kind) }},
	}
	rows := []fish{{name: "Wanda", kind: "freshwater angelfish"}}
	for w, want := range map[int]string{
		40: "NAME   KIND\nWanda  freshwater angelfish",
		23: "NAME   KIND\nWanda  freshwater an…",
		10: "NAME   KIND\nWanda  freshwater …",
	} {
		if got := tableText(term.PlanTable(w, 2, cols, rows), rows); got != want {
			t.Errorf("in %d cells:\n%s\nwant:\n%s", w, got, want)
		}
	}
}

// Several columns share the rest, to the last cell.
func TestTable_Share(t *testing.T) {
	cell := func(fish) term.Span { return term.Plain.Of("x") }
	cols := []term.TableColumn[fish]{{Name: "a", Cell: cell}, {Name: "b", Cell: cell},
		{Name: "c", Width: 4, Cell: cell}}
	table := term.PlanTable(22, 1, cols, nil)
	xa, a := table.Column("a")
	xb, b := table.Column("b")
	xc, c := table.Column("c")
	if xa != 0 || a != 8 || xb != 9 || b != 7 || xc != 17 || c != 4 || table.Width() != 22 {
		t.Errorf("a %d at %d, b %d at %d, c %d at %d, %d in all", a, xa, b, xb, c, xc, table.Width())
	}
	if _, w := table.Column("d"); w != 0 {
		t.Errorf("a column that is not there is %d wide", w)
	}
}

// A cell may have several styles; nothing follows the last one, so that rows have no trailing blanks.
func TestTable_Cells(t *testing.T) {
	cols := []term.TableColumn[fish]{
		{Name: "fish", Width: 10, Cells: func(f fish, w int) term.Line {
			return term.Line{term.Bold.Of(f.name),
				term.Dim.Of(" " + f.kind)}
		}},
		{Name: "note", Width: 8, Cell: func(fish) term.Span { return term.Plain.Of("") }},
	}
	table := term.PlanTable(40, 1, cols, nil)
	l := table.Row(fishes[0])
	if l.String() != "Wanda ang…" || l[0].St != term.Bold || l[1].St != term.Dim {
		t.Errorf("%q %v", l.String(), l)
	}
}

// For any width of a table its rows fit, as far as its columns can be narrowed.
func TestTable_Fits(t *testing.T) {
	for w := range 60 {
		table := term.PlanTable(w, 1, fishColumns(), fishes)
		if n := table.Row(fishes[0]).Width(); n > max(w, 6+1+3) {
			t.Errorf("%d cells in %d", n, w)
		}
	}
}
