package learn

import (
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/tui/label"
)

// A Lesson is what the UI knows of a lesson: its texts, and the player that plays it over HTTP.
type Lesson struct {
	Name    string // as in `kubarium scenario run NAME`
	Title   string
	Course  string   // the group that it belongs to; lessons of a course follow each other
	Summary string   // one or two sentences for the list of lessons
	Actors  []Actor  // who sends requests, in the order of the lesson's file
	Steps   []string // titles, in order
	Needs   []string // paths that the server must serve for it, or scenarios.NeedRBAC; nil for a lesson that needs nothing particular
	Learned string   // what its reader knows at the end, one to three short sentences
	Next    string   // the name of the lesson to go on with; "" after the last
	Also    string   // by which the lesson is found as well: its original's title, course and summary; "" if it is told in these
	Kubectl string   // what kubectl needs to find the server, as in Telling.Command
	Player  Player

	// Changed receives a token when the player's State changed without a call of the UI: the reader's own command came, or
	// one in its place, or somebody disturbed the lesson. nil never does.
	Changed <-chan struct{}
}

// Needed is what the lesson needs, in words: "a server that serves /debug/gate".
func (l *Lesson) Needed() string {
	var does []string
	paths := slices.DeleteFunc(slices.Clone(l.Needs), func(need string) bool { return need == scenarios.NeedRBAC })
	if len(paths) > 0 {
		does = append(does, "serves "+strings.Join(paths, " and "))
	}
	if len(paths) < len(l.Needs) {
		does = append(does, "lets RBAC decide")
	}
	return "a server that " + strings.Join(does, " and ")
}

// An Actor is somebody who sends requests in a lesson.
type Actor struct {
	Name string // as in who:NAME
	Role string // "feeds the fish"
}

// A Player plays one lesson. Run, Step, Pause and Reset may block until a step is done: the UI calls them off its loop,
// one at a time. The others must answer at once, from any goroutine.
type Player interface {
	// Run plays on: one step if the reader says when to go on, else the steps that are left, with pauses to read. It returns at
	// the end, after Pause, with a question, with a step that is the reader's, and when somebody disturbed the lesson.
	Run() error
	// Step plays one step. One that has a question is only asked, and one that is the reader's only told, by the first call; the
	// next one plays it.
	Step() error
	Pause() error // stops after the step under way
	Reset() error // removes what the lesson created and goes back to its start
	State() State

	Answer(choice string) // answers the question that the lesson waits with; Run or Step then goes on
	// SetSpeed makes Run go on by itself, with pauses to read that are shorter (over 1) or longer. 0 makes it stop after each
	// step for the reader to go on, as it does at the beginning.
	SetSpeed(times float64)
	Told() []Telling // what was told so far, a step each, the current one last
}

// A Telling is what a step of a lesson tells.
type Telling struct {
	Narration string
	LookAt    string // where on the screen to look; "" says nothing
	You       string // a command for the reader to try; "" offers none
	Show      Show   // what to open
	Sent      Sent   // the step's own request
}

// Command is You with what kubectl needs to find the server, such as " -s http://127.0.0.1:1234", behind each kubectl in it.
func (t Telling) Command(flags string) string { return scenarios.Command(t.You, flags) }

// A Show is a place on the screen.
type Show struct {
	Page string // traffic, watches, lists, versions, conflicts, deletes or objects; "" leaves the screen as it is
	Pane string // list or detail
	Tab  string // of the pane detail, in small letters: "effects" of a request, "history" of an object; "" means any
	// The object to select, or the collection if Name is "". On the page traffic without one, the step's own request is selected;
	// Resource is then "".
	Resource  string // with its group: "configmaps", "deployments.apps"
	Namespace string
	Name      string
}

// A Sent tells the requests of a step from all others.
type Sent struct {
	Actor  string // who sends it, "you" for the reader; "" for a step that sends nothing
	Method string
	Path   string // with the query
	Mark   string // the value of the header scenarios.MarkHeader; of a step that waits for events, that of their watch; "" for none
	Seq    uint64 // of the reader's own request; 0 if there is none
}

// Is reports whether a flow is the step's request, and not a replay of it. There may be several: a step may have to ask again, and
// a watch has two.
func (s Sent) Is(f *flow.Flow) bool {
	if s.Seq != 0 {
		return f.Seq == s.Seq
	}
	return s.Mark != "" && strings.HasPrefix(f.Client.UserAgent, flow.LessonAgent) && f.RequestHeader.Get(scenarios.MarkHeader) == s.Mark
}

// A Question asks the reader to foretell what a step brings.
type Question struct {
	Ask     string
	Choices []string
	Right   string // one of Choices
}

// A State is where a lesson stands.
type State struct {
	Phase    Phase
	Done     int       // steps done
	Telling            // of the current step
	Problem  string    // why the lesson failed: what was expected and what came
	Question *Question // of the current step, nil if it has none, or waits for the reader's command
	Answer   string    // the reader's, "" if there is none

	Await  *Await  // the reader's command that the lesson waits for, with phase LessonWaiting; nil for none
	Notice *Notice // somebody else changed what the lesson made; nil if nobody did since the last Run or Step
}

// An Await is what the lesson waits for while the reader has a command to send. Step plays it for the reader.
type Await struct {
	Command string // as You of the step
	Came    string // a sentence on what came in its place, or on an answer that is not as expected; "" if nothing came
}

// A Notice says that somebody else changed an object of the lesson, which has paused: what it tells next may no longer hold.
// Run and Step go on all the same, Reset begins again.
type Notice struct {
	Who    string // the client's tag: "k1"
	Did    string // "created", "updated", "patched", "applied", "deleted", "changed"
	Object string // "configmaps/tank", with "and 2 more" if there are several
	Seq    uint64 // of the request's flow; 0 for a change that came without one, from outside
}

// By names who it was, where the objects are in a store.
func (n *Notice) By(s *label.Store) string {
	if n.Seq == 0 {
		return s.Others
	}
	return n.Who
}

// A Phase is what a player does.
type Phase string

const (
	Idle    Phase = "idle"
	Running Phase = "running"
	Paused  Phase = "paused"
	Waiting Phase = "waiting for you" // with its Question, or with what it Awaits
	Failed  Phase = "failed"
	Done    Phase = "done"
)
