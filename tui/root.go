package tui

import (
	"fmt"
	"time"

	"kubarium/server/flow"
)

// ui is the whole screen: it routes keys, clicks and records to its pages, holds what they share, and draws the frame.
// It does no I/O; what must happen outside is left in out for the program.
type ui struct {
	o     Options
	th    *theme
	c     canvas
	lay   layout
	w, h  int
	frame string // the frame as last drawn
	dirty bool   // whether frame no longer shows what is

	screen screenID
	side   bool // the keys are in the inspector, or in the frames of a watch
	zoom   bool
	over   overlay // nil, or what lies over the screen and has the keys
	toast  toast
	armed  time.Time // until when a second ^c quits at once

	seq             uint64 // the last flow folded
	lost            uint64 // flows that aged out before the UI saw them
	stats           flow.Stats
	head, compacted int64
	began           time.Time
	rate            rate
	frozen          bool
	unmasked        bool
	mouse           bool
	copied          func() // repeats the last copy
	meter           meterView

	api     *api       // what the log does not tell
	sel     *flow.Flow // the selected request, on every screen
	marks   []*flow.Flow
	subject subject // the chosen object, on every screen
	version int64   // the chosen version of it, 0 for the newest

	filter    filterLine
	traffic   traffic
	inspector inspector
	watches   watches
	strip     strip
	learn     learn
	pages     map[screenID]page

	out []any // quitEffect, copyEffect, laterEffect, workEffect, mouseEffect
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
	u := &ui{o: o, th: t, screen: pageTraffic, mouse: true, dirty: true, began: o.Now(), api: &api{url: o.URL}}
	u.traffic.init(u)
	u.inspector.init(u)
	u.watches.init(u)
	u.strip.init(u)
	u.learn.init(u)
	u.pages = newPages(u)
	if o.Scenario != "" && u.learn.open(o.Scenario) {
		u.screen = pageTraffic
	} else if !o.NoIntro && !u.introDismissed() {
		u.over = newIntro(u)
	}
	u.resize(80, 24)
	return u
}

// do leaves something for the program.
func (u *ui) do(effect any) { u.out = append(u.out, effect) }

// takeEffects hands over what the program is to do.
func (u *ui) takeEffects() []any {
	out := u.out
	u.out = nil
	return out
}

// say shows a line for some seconds.
func (u *ui) say(format string, args ...any) {
	u.toast = toast{fmt.Sprintf(format, args...), u.o.Now().Add(6 * time.Second)}
	u.dirty = true
	u.do(laterEffect{6 * time.Second, func() {
		if !u.o.Now().Before(u.toast.until) {
			u.toast, u.dirty = toast{}, true
		}
	}})
}

// resize lays the screen out for a size; selection, scroll and open tab stay.
func (u *ui) resize(w, h int) {
	u.w, u.h = w, h
	u.relayout()
}

func (u *ui) relayout() {
	u.lay = layOut(shape{w: u.w, h: u.h, screen: u.screen, lesson: u.learn.stripHeight(u.w, u.h), zoom: u.zoom, side: u.side, deep: u.screen == pageObjects && u.objects().base() == 1})
	u.dirty = true
}

// fold takes everything that the log has got since the last time. It is the only way in which records reach the
// screen, and it never waits.
func (u *ui) fold() {
	u.stats = u.o.Log.Stats()
	u.head, u.compacted = u.o.Log.Head()
	u.rate.count(u.o.Now(), u.stats.Published)
	u.dirty = true
	if u.frozen {
		return
	}
	flows, missed := u.o.Log.Since(u.seq, 0)
	u.lost += missed.Others
	if n := len(flows); n > 0 {
		u.seq = flows[n-1].Seq
	}
	u.traffic.fold(flows)
	u.strip.fold()
	u.foldPages(flows)
	u.watches.fold()
}

// restless reports whether the picture changes although nothing is published: rates that fall, lags that age.
func (u *ui) restless() bool {
	if p := u.page(); p != nil && p.restless() {
		return true
	}
	return u.rate.alive(u.o.Now()) || u.learn.active() || len(u.watches.all) > 0 && u.screen == pageWatches || u.traffic.openWatches || u.traffic.stale
}

// mode is the word for how the screen follows what happens.
func (u *ui) mode() string {
	switch {
	case u.frozen:
		return "FROZEN"
	case u.screen == pageTraffic && !u.traffic.follow:
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
		u.traffic.pin()
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
		if s <= pageWatches || u.pages[s] != nil || s == pageLearn && len(u.o.Lessons) > 0 {
			out = append(out, s)
		}
	}
	return out
}
