package tui

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// click handles a press of the left button: it focuses, selects, switches tabs and presses key hints.
func (u *ui) click(x, y int) {
	u.Dirty = true
	defer u.guide.byHand(u.guide.spot())
	l := &u.lay
	switch {
	case u.Over != nil:
	case l.tabs.Has(x, y):
		u.clickTab(x)
	case l.filter.Has(x, y):
		u.Press("/")
	case l.gate.Has(x, y):
		u.clickGate(y - l.gate.Y)
	case l.hints.Has(x, y):
		u.clickHint(x)
	default:
		u.clickPane(x, y)
	}
}

// clickPane gives the keys to the pane under the pointer and tells it where it was pressed.
func (u *ui) clickPane(x, y int) {
	for i, r := range u.lay.panes {
		if r.Has(x, y) && i < len(u.page().Panes()) {
			u.Enter(i)
			u.page().Click(i, x-r.X, y-r.Y)
			return
		}
	}
}

func (u *ui) clickTab(x int) {
	for _, s := range u.screens() {
		u.eachTab(func(t page.ID, at int, name, badge string) {
			if t == s && x >= at && x < at+len(name) {
				u.Show(s)
			}
		})
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

// wheel scrolls the pane under the pointer.
func (u *ui) wheel(x, y, lines int) {
	u.Dirty = true
	defer u.guide.byHand(u.guide.spot())
	if m, ok := u.Over.(term.Mover); ok {
		m.Move(lines)
	}
	if u.Over != nil {
		return
	}
	panes := u.page().Panes()
	for i, r := range u.lay.panes {
		if r.Has(x, y) && i < len(panes) {
			panes[i].Move(lines)
		}
	}
}
