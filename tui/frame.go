package tui

import "fmt"

// view draws the frame, or returns the last one if nothing has changed since.
func (u *ui) view() string {
	if !u.dirty {
		return u.frame
	}
	began := u.now()
	if u.learn.loaded != nil { // its words may have become more or fewer
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
	s += fmt.Sprintf("  %d req/s  rv %d", u.rate.perSecond(), u.head)
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
	u.learn.drawStrip(c, l.lesson)
	u.drawToast(c, l.toast)
	u.drawHints(c, l.hints)
	if u.over != nil {
		u.over.draw(c, rect{0, 1, u.w, u.h - 2})
	}
}

func (u *ui) drawBody(c *canvas) {
	l := &u.lay
	u.drawTitles(c)
	if p := u.page(); p != nil {
		u.drawPage(c, p)
		return
	}
	switch u.screen {
	case pageTraffic:
		u.traffic.draw(c, l.main)
		u.inspector.draw(c, l.side)
		u.drawThird(c, l.third)
	case pageWatches:
		u.watches.draw(c, l.main)
		if !l.split.empty() {
			c.rule(l.split, 0, sBorder, u.watches.frames.title(), nil)
		}
		u.watches.frames.draw(c, l.side)
	case pageLearn:
		u.learn.draw(c, l.main)
		u.learn.drawDetail(c, l.side)
	}
}

// drawTitles draws the rule over the panes with their titles, and the rules between panes.
func (u *ui) drawTitles(c *canvas) {
	l := &u.lay
	if l.titles.empty() {
		return
	}
	parts := []rect{l.main, l.side, l.third}
	for i, p := range parts {
		if p.empty() || i > 0 && p.y != l.titles.y+1 {
			continue
		}
		title, note := u.paneTitle(i)
		c.rule(rect{p.x, l.titles.y, p.w, 1}, 0, sBorder, title, note)
		if i > 0 && p.x > 0 {
			c.put(rect{p.x - 1, l.titles.y, 1, 1}, 0, 0, sBorder, "┬")
			for y := range p.h {
				c.put(rect{p.x - 1, p.y + y, 1, 1}, 0, 0, sBorder, "│")
			}
		}
	}
}

// paneTitle is the title of the i-th pane of the screen, with a note for its right end.
func (u *ui) paneTitle(i int) (title, note line) {
	focus := func(s string) line { return text(pick(u.side == (i == 1), sBold, sPlain), s) }
	if f, ok := u.page().(focuser); ok {
		return f.columnTitle(i)
	}
	if p := u.page(); p != nil {
		list, note, of := p.titles()
		if u.side && u.zoom || i == 1 {
			return of, nil
		}
		return list, note
	}
	switch {
	case i == 2 && u.learn.loaded != nil:
		return text(sPlain, "lesson"), nil
	case i == 2:
		return text(sPlain, "object"), nil
	case u.screen == pageWatches && u.side && u.zoom:
		return u.watches.frames.title(), nil
	case u.screen == pageWatches:
		return focus("watchers"), text(sDim, "├ start  A M D written  ◇ bookmark  ▶ reached  ┃ head")
	case u.screen == pageLearn && i == 0:
		return focus("lessons"), nil
	case u.screen == pageLearn:
		return focus("lesson"), nil
	case i == 0:
		return focus("requests"), text(sDim, "sort "+u.traffic.sort.String()+" · group "+pick(u.traffic.runs.on, "on", "off"))
	case u.sel == nil:
		return focus("inspector"), nil
	}
	f := u.sel
	st, code := codeText(f)
	l := line{{pick(u.side, sBold, sPlain), fmt.Sprintf("#%d ", f.Seq)}, {sAccent, f.Client.Tag + " "}, {sPlain, f.Method + " " + targetText(f) + " → "}, {st, code}}
	if f.Reason != "" {
		l = append(l, span{st, " " + f.Reason})
	}
	return l, nil
}

// drawThird shows the lesson's text, or the object of the selected request.
func (u *ui) drawThird(c *canvas, r rect) {
	if r.empty() {
		return
	}
	if u.learn.loaded != nil {
		u.learn.drawThird(c, r)
		return
	}
	for y, l := range u.object(r.w - 2) {
		if y >= r.h {
			break
		}
		c.line(r.inset(1), 0, y, l)
	}
}

// object is the object of the selected request as YAML: as stored by it, or as it was answered.
func (u *ui) object(w int) []line {
	f := u.shown()
	if f == nil {
		return nil
	}
	b := f.ResponseBody.Kept
	if n := len(f.Effects); n > 0 && len(f.Effects[n-1].After) > 0 {
		b = f.Effects[n-1].After
	}
	if f.Conflict != nil && len(f.Conflict.Object) > 0 {
		b = f.Conflict.Object
	}
	if len(b) == 0 {
		return []line{text(sDim, "This request has no object.")}
	}
	if u.inspector.objectOf != f || u.inspector.objectWidth != w {
		u.inspector.object = bodyLines(b, asYAML, w)
		u.inspector.objectOf, u.inspector.objectWidth = f, w
	}
	return u.inspector.object
}

// drawToast shows the last message, or the text that is searched for.
func (u *ui) drawToast(c *canvas, r rect) {
	if e := u.inspector.search; e != nil {
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
	in := u.pane().context()
	size := func(b *binding) int { return text(sPlain, keyName(b.keys[0])+" "+b.hint).width() + 2 }
	var always []*binding
	var others []*binding
	for i := range u.bindings {
		b := &u.bindings[i]
		if b.in&in == 0 || b.hint == "" || b.why() != "" {
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
