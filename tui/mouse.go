package tui

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// click handles a press of the left button: it focuses, selects, switches tabs and presses key hints.
func (u *ui) click(x, y int) {
	covered := u.covered()
	u.Dirty, u.Toast = true, page.Toast{}
	defer u.guide.byHand(u.guide.spot())
	l := &u.lay
	switch {
	case u.Over != nil:
		u.clickOver(x, y)
	case l.tabs.Has(x, y):
		u.clickTab(x)
	case l.filter.Has(x, y):
		u.Press("/")
	case l.gate.Has(x, y):
		u.clickGate(y - l.gate.Y)
	case u.strip.has(x, y):
		u.held, u.grip = true, -1
		u.drag(x)
	case l.hints.Has(x, y) && covered:
	case l.hints.Has(x, y):
		u.clickHint(x)
	default:
		u.clickPane(x, y)
	}
}

// clickOver presses what lies over the screen.
func (u *ui) clickOver(x, y int) {
	if c, ok := u.Over.(term.Clicker); ok {
		c.Click(u.Env, x, y)
		if u.Over == nil {
			u.Under = nil
		}
	}
}

// has reports whether the axis of the strip, or its head, is at a place.
func (s *strip) has(x, y int) bool {
	return !s.cells.Empty() && y == s.cells.Y && x >= s.cells.X
}

// drag shows the moment of the cell of the strip that is pressed, once for each cell.
func (u *ui) drag(x int) {
	u.Dirty = true
	cell := min(x, u.strip.cells.X+u.strip.cells.W)
	if u.Over != nil || cell == u.grip {
		return
	}
	u.grip = cell
	switch revision := u.strip.commitAt(x); {
	case revision == 0:
		u.Say("nothing was committed there yet")
	case revision != u.at():
		u.goTo(revision)
	}
}

// release lets the strip go.
func (u *ui) release() { u.held = false }

// clickPane gives the keys to the pane under the pointer and passes on where it was pressed.
func (u *ui) clickPane(x, y int) {
	for i, r := range u.lay.panes {
		if r.Has(x, y) && i < len(u.page().Panes()) {
			u.Enter(i)
			u.page().Click(i, x-r.X, y-r.Y)
			return
		}
	}
}

func (u *ui) clickHint(x int) {
	var hit *page.Binding
	u.eachHint(u.lay.hints.W, func(at int, b *page.Binding) {
		if x >= at && x < at+term.Text(term.Plain, term.KeyName(b.Keys[0])+" "+b.Hint).Width() {
			hit = b
		}
	})
	u.run(hit)
}

// wheel scrolls the pane under the pointer; over the strip it goes from version to version.
func (u *ui) wheel(x, y, lines int) {
	u.Dirty, u.Toast = true, page.Toast{}
	defer u.guide.byHand(u.guide.spot())
	if m, ok := u.Over.(term.Mover); ok {
		m.Move(lines)
	}
	if u.Over != nil {
		return
	}
	if u.strip.has(x, y) {
		u.step(term.Pick(lines < 0, -1, 1))
		return
	}
	panes := u.page().Panes()
	for i, r := range u.lay.panes {
		if r.Has(x, y) && i < len(panes) {
			panes[i].Move(lines)
		}
	}
}
