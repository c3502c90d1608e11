package tui

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A standing is what a message is about: when it changes, the message goes. Keys and the mouse take it away as well.
type standing struct {
	front  page.ID
	moment *page.Moment
	lesson string // the loaded one
	step   int
}

// A message is the last text of the message line, and what it was about when it was first drawn.
type message struct {
	toast page.Toast
	of    standing
}

// outdate takes the message away if the page, the moment or the lesson's step has changed since it was first drawn.
func (u *ui) outdate() {
	p, _ := u.lesson.Place()
	now := standing{u.Front, u.Moment, p.Lesson, p.Step}
	switch {
	case u.Toast.Text == "":
	case u.Toast != u.said.toast:
		u.said = message{u.Toast, now}
	case u.said.of != now:
		u.Toast = page.Toast{}
	}
}

// messageLine is what the line shows: the last message, else why the server can store nothing, or that the page is not
// of the past, if that is so.
func (u *ui) messageLine() (string, term.Style) {
	if u.Toast.Text != "" && u.Clock().Before(u.Toast.Until) {
		return u.Toast.Text, term.Plain
	}
	return u.warning(), term.Warn
}

// messageRow is where messages and searches are shown, and whether there is one.
func (u *ui) messageRow() (r term.Rect, shows bool) {
	text, _ := u.messageLine()
	return term.Pick(u.lay.toast.Empty(), u.lay.hints, u.lay.toast), text != "" || u.traffic().Inspector.Search != nil
}

// covered reports whether a message is where the keys are named.
func (u *ui) covered() bool {
	r, shows := u.messageRow()
	return shows && r == u.lay.hints
}

// warning is what stays in the message line as long as it is so; "" for nothing.
func (u *ui) warning() string {
	if trouble := u.o.Source.trouble(); trouble != "" {
		return trouble
	}
	if u.past() && !ofMoments(u.page()) {
		return u.F("This page is not of the past: it is of the whole run, not of rv %d.", u.Moment.Revision)
	}
	return ""
}
