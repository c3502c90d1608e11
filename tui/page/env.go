package page

import (
	"cmp"
	"net/http"
	"time"

	"kubarium/analysis/chain"
	"kubarium/analysis/doctor"
	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/scenarios/words"
	"kubarium/tui/client"
	"kubarium/tui/feed"
	"kubarium/tui/gates"
	"kubarium/tui/label"
	"kubarium/tui/streams"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// An Env is what a page knows of the screen that it is on, and what it may ask of it. All pages of a moment share one;
// none knows another. Calls are done on the loop; work that takes time is left as an effect. The groups of fields are
// embedded: a page says e.Sel and e.Log.
type Env struct {
	*Shared
	Server
	Run
	Known
	Selection

	StateDir string // "" keeps nothing
	InWords  bool   // plain mode: pages are printed as sentences that name no keys
	Lessons  bool   // there are lessons
}

// A Server is where the API listens, and what may be asked of it.
type Server struct {
	URL      string
	DB       string            // the path of the database file, or "etcd://…": where the objects are
	Reach    http.RoundTripper // for requests of the reader; nil is http.DefaultTransport
	ReadOnly string            // why nothing can be changed on the server; "" if it can
	API      *client.Client    // for what the log does not have

	Foreign    string // why it cannot be asked for what is Kubarium's own, such as snapshots; "" if it can
	NoGate     string // why there is no gate to ask for; "" if there may be one
	Context    string // of a kubeconfig, which a write and a rule are asked about; "" for a server of the reader's own
	Kubeconfig string // file that leads kubectl to it; "" where its address does
}

// A Run is the run that is shown, or a moment of it.
type Run struct {
	Log    *flow.Log
	Stats  flow.Stats
	Seq    uint64           // the last flow folded
	Now    func() time.Time // in the run: a recording ends at some time, and a moment of the past was at one
	Clock  func() time.Time // the wall clock
	Ended  func() bool      // whether the run that is shown is over
	Bare   bool             // the run is shown without the objects of its store
	Moment *Moment          // of the run that is shown; nil for the present
	Behind bool             // pages of another moment are on the screen
}

// Known is what was learned of a run from its log.
type Known struct {
	Time    *timeline.Timeline    // what was committed
	Feed    *feed.Feed            // which requests are shown, and what was learned of all
	Streams *streams.Streams      // who watches what
	Walks   *listing.Log          // what was listed
	Chains  *chain.Follower       // what led to each write
	Found   func() *doctor.Report // the mistakes of clients
}

// A Selection is the request that is selected on every page.
type Selection struct {
	Sel      *flow.Flow
	Follow   bool     // the newest one is selected as it comes
	OnSelect []func() // called when another request is selected
	OnCall   []func() // called when a call is opened or closed
	Copied   func()   // repeats the last copy

	call      int        // which of its calls is shown in its place, from 1; 0 for none
	wholeOf   *flow.Call // a call without bodies of its own
	wholeCall *flow.Call // the same with those of its request
	masked    *flow.Flow // Sel with its secrets masked
	maskedOf  *flow.Flow // the flow that masked was made from
}

// Shared is what pages share whatever moment of the run they are of.
type Shared struct {
	Screen
	Choice
	Layout
	Frame
	Guide
	*words.Words // the language of the screen; nil is English

	Gate      *gates.Reader // what the server's gate holds, and its rules; empty for a recording
	Marks     []*flow.Flow
	kept      map[string]map[uint64]bool // by owner: see KeepFlows
	Unmasked  bool
	CopyRoute string // how text gets to the clipboard: "via OSC 52"
}

// A Choice is the object that was chosen on some page.
type Choice struct {
	Subject   Subject
	Version   int64  // the chosen version of it, 0 for the newest
	Namespace string // to which the pages of objects are narrowed; "" for all
}

// A Guide is what the loaded lesson offers.
type Guide struct {
	LessonText    func(w int) []term.Line // its text; nil while none is loaded
	LessonCommand func() string           // the command that it offers now; "" if there is none
	Point         *Point                  // what its step points at; nil for nothing
}

// A Layout is which page is at the front, and which of its panes.
type Layout struct {
	Front   ID
	At      int // which pane of it has the keys
	First   int // which of its panes is the leftmost, where they are side by side
	Zoom    bool
	Columns int  // panes side by side
	Titled  bool // there is a row of titles above the panes
}

// A Frame is what lies over the pages, and what is left for the program.
type Frame struct {
	Over  term.Overlay // nil, or what lies over the screen and has the keys
	Yes   func()       // plain mode: what waits for yes; nil for nothing
	Under term.Overlay // nil, or what esc uncovers below that
	Toast Toast
	Dirty bool  // the frame must be drawn again
	Out   []any // Copy, Later, Work, Listen, and the root's own effects
}

// A Screen is what pages ask of the root.
type Screen interface {
	Show(s ID)                            // changes the page
	Enter(i int)                          // moves the keys to the i-th pane of the page
	Relayout()                            // lays the screen out again
	Jump(f *flow.Flow)                    // shows a request in Traffic
	ShowHeld(id uint64)                   // shows a held request at the gate
	UnderCursor() *flow.Flow              // the request of the row, or of the line below it, under the cursor; nil for none
	AskFacet(exclude bool)                // offers the values of the selected request to narrow the filter to, or to exclude
	ShowOwn(yes bool)                     // shows Kubarium's own requests and watches, or hides them
	Press(k string)                       // does what a key does on the page
	Refiltered()                          // lists again what the filter lets through, on every page
	OpenObject(s Subject, revision int64) // shows an object at its history
	ShowWatch(id uint64, revision int64)  // shows a watch, at the frame of a revision
}

// Store is what keeps the objects.
func (s *Server) Store() *label.Store { return label.StoreOf(s.DB) }

// Through reports whether the server is seen through the glass.
func (s *Server) Through() bool { return s.Store() == label.Cluster }

// NeedsOwn says why the server cannot be asked for what is Kubarium's own, "" if it can.
func (s *Server) NeedsOwn() string { return cmp.Or(s.ReadOnly, s.Foreign) }

// NeedsServer says why nothing can be changed on the server, "" if it can.
func (s *Server) NeedsServer() string { return s.ReadOnly }

// NeedsNow says why objects that are shown cannot be changed on the server: because nothing can, or because the screen
// shows the past; "" if they can.
func (e *Env) NeedsNow() string {
	if e.ReadOnly == "" && e.Moment != nil {
		return "the screen shows the past; G goes back to now"
	}
	return e.ReadOnly
}

// CloseOver takes away what lies over the screen.
func (f *Frame) CloseOver() { f.Over = nil }

// Do leaves an effect for the program.
func (f *Frame) Do(effect any) { f.Out = append(f.Out, effect) }

// Say shows a line for some seconds.
func (e *Env) Say(format string, args ...any) {
	e.Toast = Toast{e.F(format, args...), e.Clock().Add(6 * time.Second)}
	e.Dirty = true
	e.Do(Later{6 * time.Second, func() {
		if !e.Clock().Before(e.Toast.Until) {
			e.Toast, e.Dirty = Toast{}, true
		}
	}})
}
