package term_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kubarium/tui/term"
)

// A listing is a list of items over a list of keys, as on a page.
type listing struct {
	term.List[int]
	items []int
}

func (l *listing) keep(items ...int) {
	l.items = slices.Clone(items)
	l.Keep(len(l.items), func(i int) int { return l.items[i] })
}

// chosen is the item under the cursor, -1 if there is none.
func (l *listing) chosen() int {
	if l.At() < 0 {
		return -1
	}
	return l.items[l.At()]
}

// count is the items from one to another.
func count(from, to int) []int {
	var out []int
	for i := from; i <= to; i++ {
		out = append(out, i)
	}
	return out
}

// The cursor stays on its item while rows come and go, and on its row if the item is gone.
func TestList_Keep(t *testing.T) {
	for _, c := range []struct {
		name  string
		after []int
		want  int
	}{
		{"rows after it", []int{1, 2, 3, 4, 5}, 2},
		{"a row before it", []int{9, 1, 2, 3}, 2},
		{"the row before it goes", []int{2, 3}, 2},
		{"another order", []int{3, 1, 2}, 2},
		{"it goes", []int{1, 3}, 3},
		{"it goes from the end", []int{1}, 1},
		{"all go", nil, -1},
	} {
		l := &listing{}
		l.keep(1, 2, 3)
		l.Point(1)
		l.keep(c.after...)
		if got := l.chosen(); got != c.want {
			t.Errorf("%s: the cursor is on %d, want %d", c.name, got, c.want)
		}
	}
}

// An item that comes back while the list was empty is chosen again.
func TestList_KeepRemembers(t *testing.T) {
	l := &listing{}
	l.keep(1, 2, 3)
	l.End(true)
	l.keep()
	l.keep(1, 2, 3, 4)
	if l.chosen() != 3 {
		t.Errorf("the cursor is on %d", l.chosen())
	}
}

// The chosen row stays where it is on the screen when rows come before it.
func TestList_KeepsItsPlace(t *testing.T) {
	l := &listing{}
	l.keep(count(10, 30)...)
	l.Range(5)
	l.Point(12)
	from, _ := l.Range(5)
	place := l.At() - from
	l.keep(count(0, 30)...)
	from, _ = l.Range(5)
	if l.chosen() != 22 || l.At()-from != place {
		t.Errorf("item %d in row %d, was in row %d", l.chosen(), l.At()-from, place)
	}
}

// A list with a tail follows its newest row until the cursor moves up, and again from its end.
func TestList_Follow(t *testing.T) {
	l := &listing{List: term.Tailing[int]()}
	for _, step := range []struct {
		name    string
		do      func() bool
		chosen  int
		follows bool
		said    bool
	}{
		{"begins", func() bool { l.keep(1, 2, 3); return false }, 3, true, false},
		{"a row comes", func() bool { l.keep(1, 2, 3, 4); return false }, 4, true, false},
		{"down", func() bool { return l.Move(1) }, 4, true, false},
		{"up", func() bool { return l.Move(-1) }, 3, false, true},
		{"another row comes", func() bool { l.keep(1, 2, 3, 4, 5); return false }, 3, false, false},
		{"down to the last", func() bool { return l.Move(9) }, 5, false, true},
		{"one more comes", func() bool { l.keep(1, 2, 3, 4, 5, 6); return false }, 5, false, false},
		{"the end", func() bool { return l.End(true) }, 6, true, false},
		{"and another", func() bool { l.keep(1, 2, 3, 4, 5, 6, 7); return false }, 7, true, false},
		{"the beginning", func() bool { return l.End(false) }, 1, false, true},
	} {
		if said := step.do(); said != step.said || l.chosen() != step.chosen || l.Follow != step.follows {
			t.Errorf("%s: on %d, follows %v, says %v; want %d, %v, %v", step.name, l.chosen(), l.Follow, said,
				step.chosen, step.follows, step.said)
		}
	}
}

// The newest row need not be the last one: a step down leaves it.
func TestList_Newest(t *testing.T) {
	l := &listing{List: term.Tailing[int]()}
	l.Newest = func() int { return 1 }
	l.keep(1, 2, 3)
	if l.chosen() != 2 || !l.Move(1) || l.chosen() != 3 || l.Follow {
		t.Errorf("on %d, follows %v", l.chosen(), l.Follow)
	}
}

// Headings are never chosen, and stay visible with the first row below them.
func TestList_Skip(t *testing.T) {
	l := &listing{}
	l.Skip = func(i int) bool { return l.items[i] < 0 }
	l.keep(-1, 1, 2, -2, 3, -3, 4)
	for _, step := range []struct {
		name string
		do   func()
		want int
	}{
		{"begins", func() {}, 1}, {"down twice", func() { l.Move(2) }, 3}, {"up", func() { l.Move(-1) }, 2},
		{"beginning", func() { l.End(false) }, 1}, {"further up", func() { l.Move(-1) }, 1},
		{"end", func() { l.End(true) }, 4},
		{"a press on a heading", func() { l.Range(9); l.Click(3) }, 3},
	} {
		if step.do(); l.chosen() != step.want {
			t.Errorf("%s: the cursor is on %d, want %d", step.name, l.chosen(), step.want)
		}
	}
	l.End(true)
	l.Range(2)
	l.End(false)
	if from, to := l.Range(2); from != 0 || to != 2 {
		t.Errorf("rows %d to %d are visible", from, to)
	}
	l.keep(-1, -2)
	if l.At() != -1 || l.Point(0) || l.Move(1) {
		t.Errorf("a heading is chosen: row %d", l.At())
	}
}

// A click chooses the row at its place, if there is one.
func TestList_Click(t *testing.T) {
	l := &listing{}
	l.keep(count(0, 9)...)
	l.Range(4)
	l.End(true)
	l.Range(4) // from row 6 on
	for _, c := range []struct{ y, want int }{{0, 6}, {3, 9}, {-1, 9}, {4, 9}, {1, 7}} {
		if l.Click(c.y); l.chosen() != c.want {
			t.Errorf("row %d of the screen: item %d, want %d", c.y, l.chosen(), c.want)
		}
	}
}

// The chosen row has a sign; a list without the focus may have none.
func TestList_Draw(t *testing.T) {
	l := &listing{}
	l.keep(count(1, 5)...)
	l.Point(1)
	draw := func(st term.Style) string {
		c := &term.Canvas{}
		c.Reset(6, 3)
		r := term.Rect{W: 6, H: 3}
		l.Draw(c, r, st, func(row term.Rect, i int) { c.Put(row, 2, 0, term.Plain, fmt.Sprint("i", l.items[i])) })
		return c.Render(term.NewTheme("mono"), term.AllGlyphs)
	}
	if s := draw(term.Selected); !strings.Contains(s, "▸") || strings.Index(s, "▸") > strings.Index(s, "i2") ||
		strings.Contains(s, "i4") {
		t.Errorf("%q", s)
	}
	if s := draw(term.Plain); s != "  i1\n  i2\n  i3" {
		t.Errorf("%q", s)
	}
	if l.More() != 2 {
		t.Errorf("%d more", l.More())
	}
}

// After any moves and changes of rows, the cursor is on a visible row that can be chosen, and on its item as long as
// that exists.
func TestList_Property(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		l := &listing{}
		if seed%2 == 0 {
			l.List = term.Tailing[int]()
		}
		if seed%3 == 0 {
			l.Skip = func(i int) bool { return l.items[i]%7 == 0 }
		}
		for step := range 60 {
			before, changed := l.chosen(), false
			switch rnd.IntN(6) {
			case 0:
				l.keep(rnd.Perm(rnd.IntN(30))...)
				changed = true
			case 1:
				i := rnd.IntN(len(l.items) + 1)
				l.keep(slices.Insert(slices.Clone(l.items), i, 1000+step)...)
				changed = true
			case 2:
				l.Move(rnd.IntN(21) - 10)
			case 3:
				l.End(rnd.IntN(2) == 0)
			case 4:
				l.Click(rnd.IntN(12) - 1)
			case 5:
				l.Point(rnd.IntN(40) - 5)
			}
			from, to := l.Range(1 + rnd.IntN(12))
			expectSound(t, l, from, to)
			if changed && !l.Follow && slices.Contains(l.items, before) && l.chosen() != before {
				t.Fatalf("seed %d, step %d: the cursor went from %d to %d", seed, step, before, l.chosen())
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
	}
}

// expectSound proves that the cursor is on a visible row that can be chosen, and that no room is wasted.
func expectSound(t *testing.T, l *listing, from, to int) {
	t.Helper()
	free := slices.ContainsFunc(l.items, func(x int) bool { return l.Skip == nil || x%7 != 0 })
	if (l.At() >= 0) != free {
		t.Errorf("row %d of %v", l.At(), l.items)
	}
	if from < 0 || to > len(l.items) || from > to || to-from < min(len(l.items), l.Height()) {
		t.Errorf("rows %d to %d of %d in %d", from, to, len(l.items), l.Height())
	}
	if free && (l.At() < from || l.At() >= to || l.Key != l.chosen()) {
		t.Errorf("row %d, with key %d, of rows %d to %d", l.At(), l.Key, from, to)
	}
}
