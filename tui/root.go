package tui

import (
	"context"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/tui/inspect"
	"kubarium/tui/learn"
	"kubarium/tui/objects"
	"kubarium/tui/page"
	"kubarium/tui/term"
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
	shaped shape // what lay was made of
	w, h   int
	frame  string    // the frame as last drawn
	said   message   // in the message line
	armed  time.Time // until when a second ^c quits at once

	lost   uint64 // flows of clients that aged out before the UI saw them, and after it began
	lagged int    // watches that lagged when it took flows last
	gone   uint64 // flows of clients that had aged out when it began
	quiet  bool   // only what matters now is in the frame
	chosen bool   // the reader has said whether quiet
	began  time.Time
	rate   requestRate
	frozen bool
	mouse  bool
	meter  meterView

	filter filterLine
	strip  strip
	lesson *learn.Page  // the loaded lesson, and the page of all
	guide  lead         // what the loaded lesson shows
	left   leaving      // the present, for the past
	faded  *page.Moment // that was said to be compacted
	from   origin       // where the page of a client was opened
	held   bool         // the strip is held with the mouse
	grip   int          // the cell of it that was pressed last
}

// A filterLine is the line that says which requests are seen, while it is typed and afterwards.
type filterLine struct {
	edit    *term.LineEdit // nil unless it is being typed
	text    string         // as applied
	before  string         // as it was when typing began
	problem *filter.Error
	offers  []string // completions of what is typed
	past    []string // earlier filters, newest last
	back    int      // how far up has gone into past
	typed   int      // counts keys, so that only the last one applies
}

// A leaving is what was looked at when the present was left.
type leaving struct {
	front   page.ID
	subject page.Subject
}

// A lead is the screen while a lesson leads: it opens what each step is about, whatever is filtered or pinned, and
// gives back afterwards what was shown before. A reader who goes elsewhere is left alone until the next step.
type lead struct {
	u      *ui
	on     bool
	at     learn.Place // what it has opened last
	astray bool        // the reader has gone elsewhere since
	seeks  bool        // what the step is about is not selected yet
	moves  int         // counts what the lesson has opened
	before before

	looked uint64     // requests up to here were looked at for the step's own
	found  *flow.Flow // the step's own request; nil while there is none
}

// A before is what was shown before the lesson led.
type before struct {
	where
	zoom    bool
	follow  bool
	subject page.Subject
	version int64
	object  objects.ObjectTab
}

// A where is what a reader changes by going elsewhere.
type where struct {
	front  page.ID
	at     int
	sel    *flow.Flow
	tab    inspect.Tab
	filter string
}

// A spot is where the screen is, and how often the lesson has moved it.
type spot struct {
	where
	moves int
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
	u.outgrow()
	n := len(u.page().Panes())
	u.First = max(0, min(u.First, u.At, n-2), u.At-1)
	u.shaped = u.shape()
	u.lay = layOut(u.shaped)
	u.Columns, u.First = u.lay.columns, u.lay.first
	u.Titled = !u.lay.titles.Empty()
	u.lesson.InSight = !u.lay.lesson.Empty()
	u.Dirty = true
}

// shape is what the layout depends on now.
func (u *ui) shape() shape {
	p := u.page()
	return shape{w: u.w, h: u.h, filter: u.filters(), axis: u.axisRows(), message: !u.quiet || u.warning() != "",
		lesson: u.lesson.StripHeight(u.w, u.h), gate: u.gateHeight(), panes: len(p.Panes()), at: u.At, first: u.First, zoom: u.Zoom, form: p.Form()}
}

// restless reports whether the picture changes although nothing is published: rates that fall, lags that age, the end
// of a recording that is followed.
func (u *ui) restless() bool {
	return u.o.Source.Kind == Recording && !u.live.Past() || u.page().Restless() || len(u.Gate.Held) > 0 || u.live.versions().Restless() || u.live.pages[page.Lists].Restless() || u.rate.Alive(u.Clock()) || u.lesson.Active() || u.lagging() > 0
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

// gateHeight is how many lines the strip of the gate takes where there is room.
func (u *ui) gateHeight() int {
	g := u.Gate
	if !g.Shows() || u.Front == page.Gate {
		return 0
	}
	return 1 + min(len(g.Held), stripHeld) + min(len(g.Rules), 1)
}

// past reports whether a moment of the past is on the screen.
func (u *ui) past() bool { return u.Moment != nil }

// stripHeld is how many of those that are held the strip names at most.
const stripHeld = 2

// wayBack names the key that leads back to the present.
func (u *ui) wayBack() string { return u.F("G goes back to %s", u.nowWord()) }

// nowWord is what the newest version is called.
func (u *ui) nowWord() string { return u.T(term.Pick(u.live.Past(), "the end", "now")) }

// ago says how many versions lie between the one on the screen and the newest.
func (u *ui) ago(wide bool) string {
	n := int(u.live.Time.Head - u.Moment.Revision)
	if wide {
		return u.F("%s ago", term.Plural(n, "version"))
	}
	return u.F("%s ago", term.Count(n))
}
