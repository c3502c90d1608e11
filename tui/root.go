package tui

import (
	"cmp"
	"context"
	"time"

	"kubarium/analysis/listing"
	"kubarium/tui/client"
	"kubarium/tui/compare"
	"kubarium/tui/feed"
	"kubarium/tui/gates"
	"kubarium/tui/learn"
	"kubarium/tui/page"
	"kubarium/tui/streams"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// ui is the whole screen: it routes keys, clicks and records to its pages, holds what they share, and draws the frame.
// It does no I/O; what must happen outside is left in out for the program.
type ui struct {
	ctx context.Context // ends with the UI; work off the loop ends with it

	*stage        // what is on the screen
	live   *stage // the run as it goes on
	o      Options
	th     *term.Theme
	auto   bool // the theme follows the terminal's background
	light  bool // that background, as far as it is known
	c      term.Canvas
	lay    layout
	w, h   int
	frame  string    // the frame as last drawn
	armed  time.Time // until when a second ^c quits at once

	lost   uint64 // flows that aged out before the UI saw them
	began  time.Time
	rate   term.Rate
	frozen bool
	mouse  bool
	meter  meterView

	filter filterLine
	strip  strip
	lesson *learn.Page  // the loaded lesson, and the page of all
	guide  lead         // what the loaded lesson shows
	left   leaving      // the present, for the past
	faded  *page.Moment // that was said to be compacted
	held   bool         // the strip is held with the mouse
	grip   int          // the cell of it that was pressed last
}

// newUI makes the UI of a log that may hold records already.
func newUI(o Options, t *term.Theme) *ui {
	live := &stage{Env: newEnv(o)}
	u := &ui{ctx: context.Background(), stage: live, live: live, o: o, th: t, auto: o.Theme == "" || o.Theme == "auto", light: t.Name == "light", mouse: true, began: o.Now()}
	u.Screen = u
	u.strip.env = u.Env
	u.lesson = learn.New(u.Env, o.Lessons)
	u.lesson.SetLanguages(o.Languages, o.Retell)
	u.pages = newPages(u.Env, u.lesson)
	if o.Other != nil {
		u.pages[page.Compare] = compare.New(u.Env, otherEnv(o), cmp.Or(o.Source.Name, o.URL), o.Other.Name)
	}
	u.guide.u = u
	u.lesson.SetGuide(&u.guide)
	if o.Scenario != "" && u.lesson.Open(o.Scenario) {
		u.Front = page.Traffic
	} else if !o.NoIntro && !u.introDismissed() {
		u.Over = &intro{u}
	}
	u.resize(80, 24)
	return u
}

// takeEffects hands over what the program is to do.
func (u *ui) takeEffects() []any {
	out := u.Out
	u.Out = nil
	return out
}

// resize lays the screen out for a size; selection, scroll and open tab stay.
func (u *ui) resize(w, h int) {
	u.w, u.h = w, h
	u.Relayout()
}

func (u *ui) Relayout() {
	p := u.page()
	n := len(p.Panes())
	u.First = max(0, min(u.First, u.At, n-2), u.At-1)
	u.lay = layOut(shape{w: u.w, h: u.h, lesson: u.lesson.StripHeight(u.w, u.h), gate: u.gateHeight(), panes: n, at: u.At, first: u.First, zoom: u.Zoom, form: p.Form()})
	u.Columns, u.First = u.lay.columns, u.lay.first
	u.Titled = !u.lay.titles.Empty()
	u.lesson.InSight = !u.lay.lesson.Empty()
	u.Dirty = true
}

// fold takes everything that the log has got since the last time. It is the only way in which records reach the
// screen, and it never waits.
func (u *ui) fold() {
	n := u.live
	n.Stats = n.Log.Stats()
	n.Time.Look()
	u.rate.Count(u.Clock(), u.published())
	u.Dirty = true
	if u.frozen {
		return
	}
	u.gateTold()
	flows, missed := n.Log.Since(n.Seq, 0)
	u.lost += missed.Others
	n.Time.Fold()
	u.Gate.Committed(n.Time.Fresh)
	n.fold(flows)
	u.lookBack()
	u.guide.Follow()
}

// published is how many requests there were of those that may be shown.
func (u *ui) published() uint64 {
	n := u.live
	if n.Feed.Own {
		return n.Stats.Published
	}
	return n.Stats.Published - n.Stats.PublishedOwn
}

// restless reports whether the picture changes although nothing is published: rates that fall, lags that age, the end of a recording that
// is followed.
func (u *ui) restless() bool {
	return u.o.Source.Kind == Recording && !u.live.Past() || u.page().Restless() || len(u.Gate.Held) > 0 || u.live.versions().Restless() || u.rate.Alive(u.Clock()) || u.lesson.Active()
}

// mode is the word for how the screen follows what happens.
func (u *ui) mode() string {
	switch {
	case u.frozen:
		return "FROZEN"
	case u.Moment != nil:
		return "" // the header says so
	case u.Front == page.Traffic && !u.Follow:
		return "PINNED"
	}
	return u.o.Source.live()
}

// freeze stops the pictures, or lets them jump to now; capture goes on meanwhile.
func (u *ui) freeze() {
	if !u.frozen {
		u.frozen = true
		u.Say("frozen at #%d; recording goes on, p shows the present again", u.live.Seq)
		return
	}
	u.frozen = false
	lost, before := u.lost, u.live.Seq
	u.fold()
	switch lost = u.lost - lost; {
	case lost > 0:
		u.Say("live again: %s requests while frozen, of which %s had aged out", term.Count(u.live.Seq-before), term.Count(lost))
	default:
		u.Say("live again: %s requests while frozen", term.Count(u.live.Seq-before))
	}
}

// otherEnv is what is told of the run that is compared with the one that is shown.
func otherEnv(o Options) *page.Env {
	o.Log, o.URL, o.DB, o.Now, o.Transport = o.Other.Log, o.Other.URL, o.Other.DB, o.Other.Now, nil
	return newEnv(o)
}

// newEnv is what the pages of a UI share.
func newEnv(o Options) *page.Env {
	u := &page.Env{
		Shared:    &page.Shared{CopyRoute: "via OSC 52", Layout: page.Layout{Front: page.Traffic}, Frame: page.Frame{Dirty: true}},
		Server:    page.Server{URL: o.URL, DB: o.DB, Reach: o.Transport, ReadOnly: o.Source.readOnly(), API: &client.Client{URL: o.URL, Transport: o.Transport}},
		Run:       page.Run{Log: o.Log, Now: o.Now, Clock: o.Clock, Ended: o.Source.ended, Bare: o.Source.Bare},
		Selection: page.Selection{Follow: true},
		StateDir:  o.StateDir, InWords: o.Plain, Lessons: len(o.Lessons) > 0,
	}
	if u.Clock == nil {
		u.Clock = term.Pick(o.Source.Kind == Recording, time.Now, o.Now)
	}
	u.Feed = feed.New()
	u.Time = timeline.New(o.Log)
	u.Walks = listing.NewLog()
	u.Gate = gates.New(u.API)
	u.Streams = streams.New(o.Log, o.Now, u.Feed, u.Time, u.Walks)
	return u
}
