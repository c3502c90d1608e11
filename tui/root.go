package tui

import "time"

// ui is the whole screen: it routes keys, clicks and records to its pages, holds what they share, and draws the frame.
// It does no I/O; what must happen outside is left in out for the program.
type ui struct {
	*env
	o     Options
	th    *theme
	c     canvas
	lay   layout
	w, h  int
	frame string    // the frame as last drawn
	armed time.Time // until when a second ^c quits at once

	lost   uint64 // flows that aged out before the UI saw them
	began  time.Time
	rate   rate
	frozen bool
	mouse  bool
	meter  meterView

	filter    filterLine
	traffic   traffic
	inspector inspector
	watches   watches
	strip     strip
	learn     learn
	pages     map[screenID]page
	bindings  []binding // all keys of all panes, made once
}

// What a ui asks the program to do for it.
type (
	quitEffect  struct{ how Quit }
	copyEffect  struct{ text string }
	mouseEffect struct{ on bool }
	// laterEffect calls do on the loop after a while.
	laterEffect struct {
		after time.Duration
		do    func()
	}
	// workEffect calls run off the loop, then the function that it returned on the loop.
	workEffect struct{ run func() func() }
)

type toast struct {
	text  string
	until time.Time
}

// newUI makes the UI of a log that may hold records already.
func newUI(o Options, t *theme) *ui {
	u := &ui{env: newEnv(o), o: o, th: t, mouse: true, began: o.Now()}
	u.screener = u
	u.traffic.init(u.env)
	u.inspector.init(u.env)
	u.watches.init(u.env)
	u.strip.init(u.env)
	u.learn.init(u.env, o.Lessons)
	u.pages = newPages(u.env)
	u.bindings = u.allKeys()
	if o.Scenario != "" && u.learn.open(o.Scenario) {
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
	u.lay = layOut(shape{w: u.w, h: u.h, screen: u.screen, lesson: u.learn.stripHeight(u.w, u.h), zoom: u.zoom, side: u.side, deep: u.screen == pageObjects && u.objects().base() == 1})
	u.columns = u.lay.columns
	u.third = u.lay.third
	u.titled = !u.lay.titles.empty()
	u.learn.inSight = !u.lay.lesson.empty()
	u.dirty = true
}

// fold takes everything that the log has got since the last time. It is the only way in which records reach the
// screen, and it never waits.
func (u *ui) fold() {
	u.stats = u.log.Stats()
	u.head, u.compacted = u.log.Head()
	u.rate.count(u.now(), u.stats.Published)
	u.dirty = true
	if u.frozen {
		return
	}
	flows, missed := u.log.Since(u.seq, 0)
	u.lost += missed
	if n := len(flows); n > 0 {
		u.seq = flows[n-1].Seq
	}
	u.feed.fold(flows)
	u.traffic.fold(flows)
	u.time.fold()
	u.walks.fold(flows)
	u.foldPages(flows)
	u.streams.fold()
	u.watches.fold()
}

// restless reports whether the picture changes although nothing is published: rates that fall, lags that age.
func (u *ui) restless() bool {
	if p := u.page(); p != nil && p.restless() {
		return true
	}
	return u.rate.alive(u.now()) || u.learn.active() || len(u.streams.all) > 0 && u.screen == pageWatches || u.traffic.openWatches || u.traffic.stale
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
		u.say("frozen at #%d; recording goes on, p shows the present again", u.seq)
		return
	}
	u.frozen = false
	lost, before := u.lost, u.seq
	u.fold()
	switch lost = u.lost - lost; {
	case lost > 0:
		u.say("live again: %s requests while frozen, of which %s had aged out", count(u.seq-before), count(lost))
	default:
		u.say("live again: %s requests while frozen", count(u.seq-before))
	}
}

// show changes the screen.
func (u *ui) show(s screenID) {
	u.screen, u.side, u.zoom = s, false, false
	if p, ok := u.page().(opener); ok {
		p.opened()
	}
	u.relayout()
}

// pane is what has the keys.
func (u *ui) pane() pane {
	p := u.page()
	if f, ok := p.(focuser); ok {
		return f.focused()
	}
	switch {
	case p != nil && u.side:
		return p.detail()
	case p != nil:
		return p
	case u.screen == pageWatches && u.side:
		return &u.watches.frames
	case u.screen == pageWatches:
		return &u.watches
	case u.screen == pageLearn && !u.side:
		return &u.learn
	case u.side:
		return &u.inspector
	}
	return &u.traffic
}

// A pane is a part of the screen that takes the keys of movement.
type pane interface {
	context() place
	name() string // as explain and help call it
	move(lines int)
	end(bottom bool)
	height() int // rows that are visible
}

// focus moves the keys to the main pane or to the one beside it. A request that is being read is pinned: nothing moves
// under the reader's eyes.
func (u *ui) focus(side bool) {
	if side && u.screen == pageTraffic {
		u.pin()
	}
	u.side = side
	if f, ok := u.page().(focuser); ok {
		f.focus(side)
	}
	u.relayout()
}

// screens are those that can be shown now, in the order of their keys.
func (u *ui) screens() []screenID {
	var out []screenID
	for s := pageTraffic; s <= pageLearn; s++ {
		if s <= pageWatches || u.pages[s] != nil || s == pageLearn && len(u.learn.lessons) > 0 {
			out = append(out, s)
		}
	}
	return out
}
