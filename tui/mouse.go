package tui

import "kubarium/tui/term"

// click handles a press of the left button: it focuses, selects, switches tabs and presses key hints.
func (u *ui) click(x, y int) {
	u.dirty = true
	l := &u.lay
	switch {
	case u.over != nil:
	case l.tabs.Has(x, y):
		u.clickTab(x)
	case l.filter.Has(x, y):
		u.press("/")
	case l.hints.Has(x, y):
		u.clickHint(x)
	default:
		u.clickPane(x, y)
	}
}

// clickPane gives the keys to the pane under the pointer and tells it where it was pressed.
func (u *ui) clickPane(x, y int) {
	for i, r := range u.lay.panes {
		if r.Has(x, y) && i < len(u.page().panes()) {
			u.enter(i)
			u.page().click(i, x-r.X, y-r.Y)
			return
		}
	}
}

func (u *ui) clickTab(x int) {
	for _, s := range u.screens() {
		u.eachTab(func(t screenID, at int, name, badge string) {
			if t == s && x >= at && x < at+len(name) {
				u.show(s)
			}
		})
	}
}

func (u *ui) clickHint(x int) {
	var hit *binding
	u.eachHint(u.lay.hints.W, func(at int, b *binding) {
		if x >= at && x < at+term.Text(term.Plain, term.KeyName(b.keys[0])+" "+b.hint).Width() {
			hit = b
		}
	})
	u.run(hit)
}

// wheel scrolls the pane under the pointer.
func (u *ui) wheel(x, y, lines int) {
	u.dirty = true
	if r, ok := u.over.(*term.Reader); ok {
		r.Top += lines
	}
	if u.over != nil {
		return
	}
	panes := u.page().panes()
	for i, r := range u.lay.panes {
		if r.Has(x, y) && i < len(panes) {
			panes[i].Move(lines)
		}
	}
}
