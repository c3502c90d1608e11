package tui

import (
	"time"

	"kubarium/server/flow/listing"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/streams"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// ui is the whole screen: it routes keys, clicks and records to its pages, holds what they share, and draws the frame.
// It does no I/O; what must happen outside is left in out for the program.
type ui struct {
	*env
	o     Options
	th    *term.Theme
	c     term.Canvas
	lay   layout
	w, h  int
	frame string    // the frame as last drawn
	armed time.Time // until when a second ^c quits at once

	lost   uint64 // flows that aged out before the UI saw them
	began  time.Time
	rate   term.Rate
	frozen bool
	mouse  bool
	meter  meterView

	filter filterLine
	strip  strip
	lesson *learn // the loaded lesson, and the page of all
	pages  map[screenID]page
	bound1 map[pane][]binding // by pane, made on first use
}

// newUI makes the UI of a log that may hold records already.
func newUI(o Options, t *term.Theme) *ui {
	u := &ui{env: newEnv(o), o: o, th: t, mouse: true, began: o.Now()}
	u.screener = u
	u.strip.u = u.env
	u.lesson = newLearn(u.env, o.Lessons)
	u.pages = newPages(u.env, u.lesson)
	if o.Scenario != "" && u.lesson.open(o.Scenario) {
		u.screen = pageTraffic
	} else if !o.NoIntro && !u.introDismissed() {
		u.over = &intro{u}
	}
	u.resize(80, 24)
	return u
}

// takeEffects hands over what the program is to do.
func (u *ui) takeEffects() []any {
	out := u.out
	u.out = nil
	return out
}

// resize lays the screen out for a size; selection, scroll and open tab stay.
func (u *ui) resize(w, h int) {
	u.w, u.h = w, h
	u.relayout()
}

func (u *ui) relayout() {
	p := u.page()
	n := len(p.panes())
	u.first = max(0, min(u.first, u.at, n-2), u.at-1)
	u.lay = layOut(shape{w: u.w, h: u.h, lesson: u.lesson.stripHeight(u.w, u.h), panes: n, at: u.at, first: u.first, zoom: u.zoom, form: p.form()})
	u.columns, u.first = u.lay.columns, u.lay.first
	u.titled = !u.lay.titles.Empty()
	u.lesson.inSight = !u.lay.lesson.Empty()
	u.dirty = true
}

// fold takes everything that the log has got since the last time. It is the only way in which records reach the
// screen, and it never waits.
func (u *ui) fold() {
	u.stats = u.log.Stats()
	u.time.Look()
	u.rate.Count(u.now(), u.stats.Published)
	u.dirty = true
	if u.frozen {
		return
	}
	flows, missed := u.log.Since(u.seq, 0)
	u.lost += missed
	if n := len(flows); n > 0 {
		u.seq = flows[n-1].Seq
	}
	u.feed.Fold(flows)
	u.time.Fold()
	u.walks.Fold(flows)
	u.streams.Fold()
	u.foldPages(flows)
}

// restless reports whether the picture changes although nothing is published: rates that fall, lags that age.
func (u *ui) restless() bool {
	return u.page().restless() || u.rate.Alive(u.o.Now()) || u.lesson.active()
}

// mode is the word for how the screen follows what happens.
func (u *ui) mode() string {
	switch {
	case u.frozen:
		return "FROZEN"
	case u.screen == pageTraffic && !u.follow:
		return "PINNED"
	}
	return "LIVE"
}

// freeze stops the pictures, or lets them jump to now; capture goes on meanwhile.
func (u *ui) freeze() {
	if !u.frozen {
		u.frozen = true
		u.Say("frozen at #%d; recording goes on, p shows the present again", u.seq)
		return
	}
	u.frozen = false
	lost, before := u.lost, u.seq
	u.fold()
	switch lost = u.lost - lost; {
	case lost > 0:
		u.Say("live again: %s requests while frozen, of which %s had aged out", term.Count(u.seq-before), term.Count(lost))
	default:
		u.Say("live again: %s requests while frozen", term.Count(u.seq-before))
	}
}

// newEnv is what the pages of a UI share.
func newEnv(o Options) *env {
	u := &env{log: o.Log, url: o.URL, now: o.Now, stateDir: o.StateDir, db: o.DB, inWords: o.Plain, lessons: len(o.Lessons) > 0,
		api: &client.Client{URL: o.URL}, screen: pageTraffic, follow: true, dirty: true}
	u.feed = feed.New()
	u.time = timeline.New(o.Log)
	u.walks = listing.NewLog()
	u.streams = streams.New(o.Log, o.Now, u.feed, u.time, u.walks)
	return u
}
