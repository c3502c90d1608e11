package tui

// click handles a press of the left button: it focuses, selects, switches tabs and presses key hints.
func (u *ui) click(x, y int) {
	u.dirty = true
	l := &u.lay
	f, many := u.page().(focuser)
	switch {
	case u.over != nil:
	case many && f.clicked(x, y):
	case l.tabs.has(x, y):
		u.clickTab(x)
	case l.filter.has(x, y):
		if u.filter.edit == nil {
			u.startFilter()
		}
	case l.hints.has(x, y):
		u.clickHint(x)
	case l.main.has(x, y):
		u.clickMain(y - l.main.y - 1)
	case l.side.has(x, y):
		u.clickSide(x-l.side.x, y-l.side.y)
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
	u.eachHint(u.lay.hints.w, func(at int, b *binding) {
		if x >= at && x < at+text(sPlain, keyName(b.keys[0])+" "+b.hint).width() {
			hit = b
		}
	})
	u.run(hit)
}

// clickMain selects the row of the list; row counts from its first one.
func (u *ui) clickMain(row int) {
	u.focus(false)
	if row < 0 {
		return
	}
	if p := u.page(); p != nil {
		p.point(row)
		return
	}
	switch u.screen {
	case pageTraffic:
		if i := u.traffic.top + row; i < len(u.traffic.rows) {
			u.traffic.jumpTo(u.traffic.rows[i])
		}
	case pageWatches:
		if i := u.watches.top + row; i < len(u.streams.list) {
			u.watches.point(i)
			u.watches.frames.fold(u.watches.selected())
		}
	case pageLearn:
		if i := u.learn.top + row; i < len(u.learn.lessons) {
			u.learn.cursor = i
		}
	}
}

func (u *ui) clickSide(x, y int) {
	if u.screen == pageLearn {
		return
	}
	u.focus(true)
	if p := u.page(); p != nil {
		p.pointDetail(y)
		return
	}
	switch u.screen {
	case pageTraffic:
		if t, ok := u.inspector.tabAt(u.lay.side, x); ok && y == 0 {
			u.inspector.tab, u.inspector.top = t, 0
		}
	case pageWatches:
		f := &u.watches.frames
		if i := f.top + y - 2; y >= 2 && i < len(f.list) {
			f.follow, f.cursor = false, i
		}
	}
}

// wheel scrolls the pane under the pointer.
func (u *ui) wheel(x, y, lines int) {
	u.dirty = true
	if r, ok := u.over.(*reader); ok {
		r.top += lines
		return
	}
	if u.over != nil {
		return
	}
	if f, ok := u.page().(focuser); ok {
		f.wheeled(x, y, lines)
		return
	}
	p := u.page()
	switch {
	case p != nil && u.lay.side.has(x, y):
		p.detail().move(lines)
	case p != nil && u.lay.main.has(x, y):
		p.move(lines)
	case u.lay.side.has(x, y) && u.screen == pageTraffic:
		u.inspector.move(lines)
	case u.lay.side.has(x, y) && u.screen == pageWatches:
		u.watches.frames.move(lines)
	case u.lay.main.has(x, y) && u.screen == pageTraffic:
		u.traffic.move(lines)
	case u.lay.main.has(x, y) && u.screen == pageWatches:
		u.watches.move(lines)
	case u.lay.main.has(x, y) && u.screen == pageLearn:
		u.learn.move(lines)
	}
}
