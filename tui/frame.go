package tui

import "fmt"

// view draws the frame, or returns the last one if nothing has changed since.
func (u *ui) view() string {
	if !u.dirty {
		return u.frame
	}
	began := u.now()
	if u.lesson.loaded != nil { // its words may have become more or fewer
		u.relayout()
	}
	c := &u.c
	c.reset(u.w, u.h)
	if u.lay.tooSmall {
		u.drawTooSmall(c)
	} else {
		u.drawAll(c)
	}
	u.frame = c.render(u.th, u.o.ASCII)
	u.dirty = false
	u.meter.frames++
	u.meter.draw = u.now().Sub(began)
	u.meter.slowest = max(u.meter.slowest, u.meter.draw+u.meter.fold)
	return u.frame
}

func (u *ui) drawTooSmall(c *canvas) {
	s := fmt.Sprintf("too small for the UI (%dx%d); the API keeps serving on %s", minWidth, minHeight, u.url)
	s += fmt.Sprintf("  %d req/s  rv %d", u.rate.perSecond(), u.time.head)
	for y, l := range wrap(s, u.w) {
		c.put(rect{0, 0, u.w, u.h}, 0, y, sPlain, l)
	}
}

func (u *ui) drawAll(c *canvas) {
	l := &u.lay
	u.drawHeader(c, l.header)
	u.drawTabs(c, l.tabs)
	if n, ok := u.page().(narrower); ok {
		n.drawNarrow(c, l.filter)
	} else {
		u.drawFilter(c, l.filter)
	}
	u.drawBody(c)
	u.strip.draw(c, l.strip)
	u.lesson.drawStrip(c, l.lesson)
	u.drawToast(c, l.toast)
	u.drawHints(c, l.hints)
	if u.over != nil {
		u.over.draw(c, rect{0, 1, u.w, u.h - 2})
	}
}

// drawBody draws the panes of the page that there is room for, with their titles.
func (u *ui) drawBody(c *canvas) {
	l, p := &u.lay, u.page()
	for i, r := range l.panes {
		if r.empty() {
			continue
		}
		if !l.titles.empty() && r.y == l.titles.y+1 {
			u.drawTitle(c, i, r)
		}
		if i == 1 && !l.split.empty() {
			title, note := p.title(1)
			c.rule(l.split, 0, sBorder, title, note)
		}
		p.draw(c, i, r)
	}
}

// drawTitle draws the title of the i-th pane above it, and the rule that parts it from its neighbour on the left.
func (u *ui) drawTitle(c *canvas, i int, r rect) {
	y := u.lay.titles.y
	title, note := u.page().title(i)
	c.rule(rect{r.x, y, r.w, 1}, 0, sBorder, title, note)
	if r.x == 0 {
		return
	}
	c.put(rect{r.x - 1, y, 1, 1}, 0, 0, sBorder, "┬")
	for dy := range r.h {
		c.put(rect{r.x - 1, r.y + dy, 1, 1}, 0, 0, sBorder, "│")
	}
}

// drawToast shows the last message, or the text that is searched for.
func (u *ui) drawToast(c *canvas, r rect) {
	if e := u.traffic().inspector.search; e != nil {
		x := c.put(r, 1, 0, sKey, "search: ")
		e.draw(c, r, x, 0)
		return
	}
	if u.toast.text != "" && u.now().Before(u.toast.until) {
		c.put(r, 1, 0, sPlain, fit(u.toast.text, r.w-2))
	}
}

// drawHints names the useful keys of the moment.
func (u *ui) drawHints(c *canvas, r rect) {
	u.eachHint(r.w, func(x int, b *binding) {
		x = c.put(r, x, 0, sKey, keyName(b.keys[0]))
		c.put(r, x+1, 0, sPlain, b.hint)
	})
}

// eachHint calls f with the bindings that the line of hints has room for; help and quit are always among them.
func (u *ui) eachHint(w int, f func(x int, b *binding)) {
	size := func(b *binding) int { return text(sPlain, keyName(b.keys[0])+" "+b.hint).width() + 2 }
	var always []*binding
	var others []*binding
	bs := u.bindings()
	for i := range bs {
		b := &bs[i]
		if b.hint == "" || b.why() != "" {
			continue
		}
		if b.keys[0] == "?" || b.keys[0] == "q" {
			always = append(always, b)
			w -= size(b)
		} else {
			others = append(others, b)
		}
	}
	x := 1
	for _, b := range others {
		if x+size(b) > w {
			continue
		}
		f(x, b)
		x += size(b)
	}
	for _, b := range always {
		f(x, b)
		x += size(b)
	}
}
