package learn

import (
	"cmp"
	"strings"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/tui/label"
)

// A Lesson is the UI's view of a lesson: its texts, and the player that plays it over HTTP.
type Lesson struct {
	Name    string // as in `kubarium scenario run NAME`
	Title   string
	Course  string   // the group that it belongs to; lessons of a course follow each other
	Road    string   // the heading of the lessons to be done first, which come before the courses; "" for others
	Summary string   // one or two sentences for the list of lessons
	Actors  []Actor  // in the order of the lesson's file
	Steps   []string // titles, in order
	Learned string   // what the user has learned at the end, one to three short sentences
	Next    string   // the name of the next lesson; "" after the last
	Also    string   // further text for searches: the original's title, course and summary; "" if it is not translated
	Kubectl string   // flags with which kubectl finds the server, as in Telling.Command
	Player  Player

	// Lacks asks the server, off the loop, and returns what it lacks for the lesson: "needs the …, which this server does
	// not serve"; "" for nothing. nil says that the lesson needs nothing special.
	Lacks func() (string, error)

	// Changed receives a token when the player's State changed without a call of the UI: the user's command came, or
	// another one instead, or another client disturbed the lesson. nil means that this never happens.
	Changed <-chan struct{}
}

// Heading is what the lesson is listed under: the road, or its course.
func (l *Lesson) Heading() string { return cmp.Or(l.Road, l.Course) }

// An Actor is a client that sends requests in a lesson.
type Actor struct {
	Name string // as in who:NAME
	Role string // "feeds the fish"
}

// A Player plays one lesson. Run, Step, Pause and Reset may block until a step is done: the UI calls them off its loop,
// one at a time. The others must return at once, from any goroutine.
type Player interface {
	// Run plays on: one step if the speed is 0, else the remaining steps, with pauses to read. It returns at the end,
	// after Pause, at a question, at a step that is the user's, and when another client disturbed the lesson.
	Run() error
	// Step plays one step. For a step with a question, or one that is the user's, the first call only shows it, and the
	// next one plays it.
	Step() error
	Pause() error // stops after the present step
	Reset() error // removes what the lesson created and goes back to its start
	State() State

	Answer(choice string) // answers the lesson's question; Run or Step then goes on
	// SetSpeed makes Run go on by itself, with pauses to read that are shorter (over 1) or longer. 0, the initial
	// value, makes it stop after each step.
	SetSpeed(times float64)
	Told() []Telling // the text of each step so far, the present one last
}

// A Telling is the text of a step.
type Telling struct {
	Narration string
	LookAt    string        // where on the screen to look; "" for nothing
	You       string        // a command for the user to try; "" for none
	Show      Show          // what to open
	At        *scenarios.At // where on it; nil for the pane as a whole
	Sent      Sent          // the step's own request
}

// Command returns You with kubectl's flags, such as " -s http://127.0.0.1:1234", after each kubectl in it.
func (t Telling) Command(flags string) string { return scenarios.Command(t.You, flags) }

// A Show is a place on the screen.
type Show struct {
	Page string // traffic, watches, lists, versions, conflicts, deletes or objects; "" leaves the screen as it is
	Pane string // list or detail
	Tab  string // of the pane detail, in lower case: "effects" of a request, "history" of an object; "" means any
	// The object to select, or the collection if Name is "". If Resource is "" on the page traffic, the step's own
	// request is selected.
	Resource  string // with its group: "configmaps", "deployments.apps"
	Namespace string
	Name      string
}

// A Sent identifies the requests of a step.
type Sent struct {
	Actor  string // its sender, "you" for the user; "" for a step that sends nothing
	Method string
	Path   string // with the query
	// Mark is the value of the header scenarios.MarkHeader, or that of the watch for whose events the step waits; ""
	// for none.
	Mark string
	Seq  uint64 // of the user's own request; 0 if there is none
}

// Is reports whether a flow is the step's request, and not a replay of it. There may be several: a step may send it
// more than once, and a watch has two flows.
func (s Sent) Is(f *flow.Flow) bool {
	if s.Seq != 0 {
		return f.Seq == s.Seq
	}
	return s.Mark != "" && strings.HasPrefix(f.Client.UserAgent, flow.LessonAgent) &&
		f.RequestHeader.Get(scenarios.MarkHeader) == s.Mark
}

// A Question asks the user to predict the result of a step.
type Question struct {
	Ask     string
	Choices []string
	Right   string // one of Choices
}

// A State is the state of a lesson.
type State struct {
	Phase    Phase
	Done     int       // steps done
	Telling            // of the current step
	Problem  string    // why the lesson failed: what was expected and what came
	Replaced []string  // controllers that are paused while the lesson does their work
	Question *Question // of the present step; nil if it has none, or waits for the user's command
	Answer   string    // the user's, "" if there is none
	Came     string    // the user's own command that the step took: "PATCH pods/x by kubectl → 200"; "" for none

	Await  *Await  // the user's command that the lesson waits for, in the phase Waiting; nil for none
	Notice *Notice // a disturbance by another client since the last Run or Step; nil for none
}

// Over reports whether the lesson is done or has failed.
func (s State) Over() bool { return s.Phase == Done || s.Phase == Failed }

// An Await is the user's command that the lesson waits for. Step plays it for the user.
type Await struct {
	Command string // as You of the step
	Came    string // a sentence about another command, or about an unexpected answer; "" if nothing came
}

// A Notice says that another client changed an object of the lesson, which has paused: its next texts may be wrong. Run
// and Step go on nevertheless, Reset begins again.
type Notice struct {
	Who    string // the client's tag: "k1"
	Did    string // "created", "updated", "patched", "applied", "deleted", "changed"
	Object string // "configmaps/tank", with "and 2 more" if there are several
	Seq    uint64 // of the request's flow; 0 for a change from outside, without a request
}

// By returns the client, or for a change from outside the store's name for others.
func (n *Notice) By(s *label.Store) string {
	if n.Seq == 0 {
		return s.Others
	}
	return n.Who
}

// A Phase is what a player is doing.
type Phase string

// The phases.
const (
	Idle    Phase = "idle"
	Running Phase = "running"
	Paused  Phase = "paused"
	Waiting Phase = "waiting for you" // with a Question or an Await
	Failed  Phase = "failed"
	Done    Phase = "done"
)
