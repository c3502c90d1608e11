package tui

import (
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/scenarios"
	"kubarium/tui/client"
	"kubarium/tui/learn"
	"kubarium/tui/page"
)

func (u *ui) where() where {
	return where{u.Front, u.At, u.Sel, u.traffic().Inspector.Tab, u.filter.text}
}

// Follow opens what the loaded lesson is at, unless that is open already, and selects what has come of it since then.
func (l *lead) Follow() {
	u := l.u
	p, ok := u.lesson.Place()
	if !ok || u.InWords || u.typing() {
		return
	}
	if u.past() && l.on && p.Lesson == l.at.Lesson && p.Step == l.at.Step {
		return // until its next step the reader may stay in the past
	}
	if u.past() {
		u.toNow()
	}
	if !l.on || p.Lesson != l.at.Lesson || p.Step != l.at.Step || p.Awaits != l.at.Awaits || p.Sent.Mark != l.at.Sent.Mark {
		l.open(p)
	} else if p.Ended && !l.at.Ended {
		l.seeks = true // there may be a newer request of it
	}
	l.at = p
	if l.seeks && !l.astray {
		l.moves++
		l.seeks = !l.seek(p)
	}
}

// typing reports whether a line is being typed, which a lesson does not take away.
func (u *ui) typing() bool {
	return u.filter.edit != nil || u.traffic().Inspector.Search != nil || u.typist() != nil
}

// open shows the page of a step, with everything on it.
func (l *lead) open(p learn.Place) {
	u := l.u
	if !l.on {
		l.on, l.before = true, u.before()
	}
	if u.filter.text != "" {
		l.before.filter = u.filter.text
		u.setFilter(nil, "")
		u.Say("the lesson puts the filter %s aside, and gives it back afterwards", l.before.filter)
	}
	if u.frozen {
		u.freeze()
	}
	l.moves++
	l.astray, l.seeks, l.looked, l.found = false, true, 0, nil
	u.Point = nil
	if id := page.Named(p.Show.Page); id != 0 && id != u.Front {
		u.Show(id)
	} else if id != 0 && (u.At > 0 || u.Zoom) {
		u.Zoom = false
		u.Enter(0)
	}
	if p.Awaits {
		u.Follow = true // the reader's request, as it comes
		u.traffic().End(true)
	}
}

func (u *ui) before() before {
	return before{where: u.where(), zoom: u.Zoom, follow: u.Follow, subject: u.Subject, version: u.Version, object: u.objects().Object.Tab}
}

// GiveBack shows again what was shown before the lesson led, unless the reader has gone elsewhere, and filters again as
// before.
func (l *lead) GiveBack() {
	if !l.on {
		return
	}
	u, b := l.u, l.before
	l.on, l.seeks, l.at = false, false, learn.Place{}
	l.moves++
	if f, err := filter.Parse(b.filter); err == nil && b.filter != "" && u.filter.text == "" {
		u.setFilter(f, b.filter)
	}
	u.Point = nil
	if l.astray {
		return
	}
	u.traffic().Inspector.Tab, u.objects().Object.Tab = b.tab, b.object
	u.Subject, u.Version = b.subject, b.version
	if b.follow {
		u.traffic().End(true)
	} else if b.sel != nil {
		u.traffic().JumpTo(b.sel)
	}
	u.Show(b.front)
	u.Enter(b.at)
	u.Zoom = b.zoom
	u.Relayout()
}

func (l *lead) spot() spot { return spot{l.u.where(), l.moves} }

// byHand notes that the reader did something, before which the screen was at was. A page that was left at the end of
// the lesson is not opened again, and the filter comes back.
func (l *lead) byHand(was spot) {
	now := l.spot()
	if !l.on || now == was || now.moves != was.moves {
		return
	}
	l.astray, l.seeks = true, false
	l.u.Point = nil
	if now.front != was.front && l.u.lesson.Loaded != nil && l.u.lesson.Loaded.Player.State().Phase == learn.Done {
		l.giveFilterBack()
	}
}

func (l *lead) giveFilterBack() {
	if f, err := filter.Parse(l.before.filter); err == nil && l.before.filter != "" && l.u.filter.text == "" {
		l.u.setFilter(f, l.before.filter)
		l.before.filter = ""
	}
}

// isHere reports whether the i-th pane of the page is the one that the step is about, and what it is about is selected.
func (l *lead) isHere(i int) bool {
	return l.on && !l.astray && !l.seeks && !l.at.Awaits && l.u.Front == page.Named(l.at.Show.Page) && i == l.u.At
}

// seek lets the page of a step select what the step is about: its own request, or the object that it names. It reports
// whether there is nothing more to wait for.
func (l *lead) seek(p learn.Place) bool {
	if p.Awaits && page.Named(p.Show.Page) != page.Objects {
		return true
	}
	f, found := l.request(p.Meant), true
	detail := p.Show.Pane == "detail"
	if s, ok := l.u.page().(page.Seeker); ok && l.u.Front == page.Named(p.Show.Page) {
		of := page.Subject{Resource: p.Show.Resource, Key: client.Key{Namespace: p.Show.Namespace, Name: p.Show.Name}}
		found = s.Seek(page.Sought{Flow: f, Subject: of, Tab: p.Show.Tab, Detail: detail})
	}
	if found && detail && l.u.Front != page.Objects { // which has entered its details itself
		l.u.Enter(1)
	}
	if found { // which may have turned pages: it is to be scrolled to once more
		l.u.Point = point(p.At)
		l.u.Dirty = true
	}
	return found || f == nil && p.Meant.Mark == "" && p.Meant.Seq == 0
}

// point is what to mark at a place; nil for nothing.
func point(at *scenarios.At) *page.Point {
	if at == nil {
		return nil
	}
	return &page.Point{Path: at.Path, Header: at.Header, Row: at.Row, Value: at.Row}
}

// request is the step's own request, nil while it has not come: the first one of a watch, else the newest, since a step
// may have to ask again.
func (l *lead) request(s learn.Sent) *flow.Flow {
	flows, _ := l.u.Log.Since(l.looked, 0)
	for _, f := range flows {
		if f.Seq > l.u.Seq {
			break // not on the screen yet
		}
		l.looked = f.Seq
		if s.Is(f) && (l.found == nil || l.found.Watch == nil) {
			l.found = f
		}
	}
	return l.found
}
