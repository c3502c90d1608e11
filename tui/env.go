package tui

import (
	"fmt"
	"time"

	"kubarium/server/flow"
	"kubarium/server/flow/listing"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/streams"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// An env is what a page knows of the screen that it is on, and what it may ask of it. All pages share one; none knows another.
// What a page asks for is done on the loop; what takes time it leaves as an effect.
type env struct {
	log      *flow.Log
	url      string // where the API listens
	now      func() time.Time
	db       string // the path of the database file
	stateDir string // "" keeps nothing
	inWords  bool   // the pages are told in sentences: no keys are named
	lessons  bool   // there are lessons

	api     *client.Client     // what the log does not tell
	time    *timeline.Timeline // what was committed
	feed    *feed.Feed         // which requests are shown, and what was learned of all
	streams *streams.Streams   // who watches what
	walks   *listing.Log       // what was listed

	sel           *flow.Flow // the selected request, on every screen
	follow        bool       // the newest one is selected as it comes
	marks         []*flow.Flow
	subject       subject  // the chosen object, on every screen
	version       int64    // the chosen version of it, 0 for the newest
	onSelect      []func() // told when another request is selected
	stats         flow.Stats
	seq           uint64 // the last flow folded
	unmasked      bool
	copied        func()                  // repeats the last copy
	masked        *flow.Flow              // sel with its secrets masked
	maskedOf      *flow.Flow              // the flow that masked was made from
	lessonText    func(w int) []term.Line // the text of the loaded lesson; nil while none is loaded
	lessonCommand func() string           // the command that the loaded lesson offers now; "" if there is none

	over  term.Overlay // nil, or what lies over the screen and has the keys
	toast toast
	dirty bool  // whether the frame no longer shows what is
	out   []any // quitEffect, copyEffect, laterEffect, workEffect, mouseEffect
	screener

	screen  screenID
	at      int // which pane of it has the keys
	first   int // which of its panes is the leftmost, where they stand beside each other
	zoom    bool
	columns int  // panes beside each other
	titled  bool // there is a row of titles above the panes
}

// A screener is what only the root does.
type screener interface {
	show(s screenID)                      // changes the page
	enter(i int)                          // moves the keys to the i-th pane of the page
	relayout()                            // lays the screen out anew
	jump(f *flow.Flow)                    // shows a request in Traffic
	underCursor() *flow.Flow              // the request that the row under the cursor, or the line below it, stands for; nil for none
	askFacet(exclude bool)                // offers the values of the selected request to narrow the filter to, or to exclude
	showOwn(yes bool)                     // shows Kubarium's own requests and watches, or hides them
	press(k string)                       // does what a key does on the page
	refiltered()                          // lists anew what the filter lets through, on every page
	openObject(s subject, revision int64) // shows an object at its history
}

// CloseOver takes away what lies over the screen.
func (u *env) CloseOver() { u.over = nil }

// do leaves something for the program.
func (u *env) do(effect any) { u.out = append(u.out, effect) }

// Say shows a line for some seconds.
func (u *env) Say(format string, args ...any) {
	u.toast = toast{fmt.Sprintf(format, args...), u.now().Add(6 * time.Second)}
	u.dirty = true
	u.do(laterEffect{6 * time.Second, func() {
		if !u.now().Before(u.toast.until) {
			u.toast, u.dirty = toast{}, true
		}
	}})
}
