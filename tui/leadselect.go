package tui

import (
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/learn"
	"kubarium/tui/page"
)

// seek lets the page of a step select what the step is about: its own request, or the object that it names. It reports whether there
// is nothing more to wait for.
func (l *lead) seek(p learn.Place) bool {
	if p.Awaits && page.Named(p.Show.Page) != page.Objects {
		return true
	}
	f, found := l.request(p.Sent), true
	detail := p.Show.Pane == "detail"
	if s, ok := l.u.page().(page.Seeker); ok && l.u.Front == page.Named(p.Show.Page) {
		of := page.Subject{Resource: p.Show.Resource, Key: client.Key{Namespace: p.Show.Namespace, Name: p.Show.Name}}
		found = s.Seek(page.Sought{Flow: f, Subject: of, Tab: p.Show.Tab, Detail: detail})
	}
	if found && detail && l.u.Front != page.Objects { // which has entered its details itself
		l.u.Enter(1)
	}
	return found || f == nil && p.Sent.Mark == "" && p.Sent.Seq == 0
}

// request is the step's own request, nil while it has not come: the first one of a watch, else the newest, since a step may have
// to ask again.
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
