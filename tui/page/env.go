package page

import (
	"fmt"
	"net/http"
	"time"

	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/streams"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// An Env is what a page knows of the screen that it is on, and what it may ask of it. All pages of a moment share one; none knows
// another. What a page asks for is done on the loop; what takes time it leaves as an effect.
type Env struct {
	*Shared
	Log      *flow.Log
	URL      string            // where the API listens
	Reach    http.RoundTripper // how what the reader sends gets there; nil is http.DefaultTransport
	Now      func() time.Time  // in the run: a recording ends at some time, and a moment of the past was at one
	Clock    func() time.Time  // on the wall
	DB       string            // the path of the database file, or "etcd://…": where the objects are
	StateDir string            // "" keeps nothing
	InWords  bool              // the pages are told in sentences: no keys are named
	Lessons  bool              // there are lessons
	ReadOnly string            // why nothing can be changed on the server; "" if it can
	Ended    func() bool       // whether the run that is shown is over
	Bare     bool              // the run is shown without the objects of its store
	Moment   *Moment           // of the run that is shown; nil for the present
	Behind   bool              // pages of another moment are on the screen

	API     *client.Client     // what the log does not tell
	Time    *timeline.Timeline // what was committed
	Feed    *feed.Feed         // which requests are shown, and what was learned of all
	Streams *streams.Streams   // who watches what
	Walks   *listing.Log       // what was listed

	Sel       *flow.Flow // the selected request, on every screen
	Follow    bool       // the newest one is selected as it comes
	OnSelect  []func()   // told when another request is selected
	call      int        // which of its calls is shown in its place, from 1; 0 for none
	OnCall    []func()   // told when a call is opened or closed
	wholeOf   *flow.Call // a call without bodies of its own
	wholeCall *flow.Call // the same with those of its request
	Stats     flow.Stats
	Seq       uint64     // the last flow folded
	Copied    func()     // repeats the last copy
	masked    *flow.Flow // sel with its secrets masked
	maskedOf  *flow.Flow // the flow that masked was made from
}

// Shared is what pages share whatever moment of the run they are of.
type Shared struct {
	Gate          *gates.Reader // who is held, and by which rules; of a recording it knows nothing
	Marks         []*flow.Flow
	Subject       Subject // the chosen object, on every screen
	Version       int64   // the chosen version of it, 0 for the newest
	Namespace     string  // to which the pages of objects are narrowed; "" for all
	Unmasked      bool
	CopyRoute     string                  // how text gets to the clipboard: "via OSC 52"
	LessonText    func(w int) []term.Line // the text of the loaded lesson; nil while none is loaded
	LessonCommand func() string           // the command that the loaded lesson offers now; "" if there is none

	Over  term.Overlay // nil, or what lies over the screen and has the keys
	Under term.Overlay // nil, or what esc uncovers below that
	Toast Toast
	Dirty bool  // whether the frame no longer shows what is
	Out   []any // Copy, Later, Work, Listen, and what the root alone asks for
	Screen

	Front   ID
	At      int // which pane of it has the keys
	First   int // which of its panes is the leftmost, where they stand beside each other
	Zoom    bool
	Columns int  // panes beside each other
	Titled  bool // there is a row of titles above the panes
}

// A Screen is what only the root does.
type Screen interface {
	Show(s ID)                            // changes the page
	Enter(i int)                          // moves the keys to the i-th pane of the page
	Relayout()                            // lays the screen out anew
	Jump(f *flow.Flow)                    // shows a request in Traffic
	ShowHeld(id uint64)                   // shows a held request at the gate
	UnderCursor() *flow.Flow              // the request that the row under the cursor, or the line below it, stands for; nil for none
	AskFacet(exclude bool)                // offers the values of the selected request to narrow the filter to, or to exclude
	ShowOwn(yes bool)                     // shows Kubarium's own requests and watches, or hides them
	Press(k string)                       // does what a key does on the page
	Refiltered()                          // lists anew what the filter lets through, on every page
	OpenObject(s Subject, revision int64) // shows an object at its history
}

// Store is what keeps the objects.
func (e *Env) Store() *label.Store { return label.StoreOf(e.DB) }

// NeedsServer says why nothing can be changed on the server, "" if it can.
func (e *Env) NeedsServer() string { return e.ReadOnly }

// NeedsNow says why what is shown cannot be changed on the server: because nothing can, or because it is the past; "" if it can.
func (e *Env) NeedsNow() string {
	if e.ReadOnly == "" && e.Moment != nil {
		return "the screen shows the past; G goes back to now"
	}
	return e.ReadOnly
}

// CloseOver takes away what lies over the screen.
func (e *Env) CloseOver() { e.Over = nil }

// Do leaves something for the program.
func (e *Env) Do(effect any) { e.Out = append(e.Out, effect) }

// Say shows a line for some seconds.
func (e *Env) Say(format string, args ...any) {
	e.Toast = Toast{fmt.Sprintf(format, args...), e.Clock().Add(6 * time.Second)}
	e.Dirty = true
	e.Do(Later{6 * time.Second, func() {
		if !e.Clock().Before(e.Toast.Until) {
			e.Toast, e.Dirty = Toast{}, true
		}
	}})
}
