// Package scenarios says what a lesson is, reads lessons, and has those that come with Kubarium.
//
// A lesson is a story in steps, each a narration with a request that an actor sends, a watch that an actor opens, or
// events that a watch is to deliver; expectations check every claim. Any Kubernetes API server will do for it. The packages below
// this one build on each other: expr and document read conditions and files; client sends requests; servers runs the webhooks
// that a lesson brings with it; check compares answers with expectations; play leads through a lesson; teller writes to a
// terminal; translation has lessons in other languages.
//
// They import nothing else of Kubarium except cells: no server and no screen.
package scenarios

import (
	"io/fs"

	"kubarium/scenarios/expr"
)

// A Lesson is one story, as it is in its file.
type Lesson struct {
	Name    string   `yaml:"-"` // from the file's name, without a leading number and the extension
	Title   string   `yaml:"title"`
	About   string   `yaml:"about"`   // one or two sentences
	Course  string   `yaml:"course"`  // the group of lessons that it belongs to; "" for none
	Road    string   `yaml:"-"`       // the heading of the road, if it is on that; else ""
	Learned string   `yaml:"learned"` // what its reader knows at the end, in one to three short sentences
	Next    string   `yaml:"next"`    // the lesson to go on with; "" for the one that follows, and after the last one
	Needs   []string `yaml:"needs"`   // paths that the API server must serve, or RBAC; without them the lesson is skipped, see Player.Lacks
	Actors  Actors   `yaml:"actors"`

	// Replaces are the controllers whose work the lesson does itself, by kube-controller-manager's names. They are paused while
	// it is played, where the server runs them and can pause them.
	Replaces []string `yaml:"replaces"`

	Servers map[string]*Server `yaml:"servers"` // those that the lesson brings with it, by their names
	Steps   []Step             `yaml:"steps"`   // at least one
	Cleanup []string           `yaml:"cleanup"` // paths to delete at the end, in addition to the lesson's namespace and what was created

	Language string `yaml:"-"` // that it is translated into, a tag of BCP 47; "" for its own

	Source Source `yaml:"-"`
}

// ControllersPath is the path at which a server lists its controllers, and pauses those of ?pause= for as long as the request lasts.
const ControllersPath = "/debug/controllers"

// NeedRBAC is the need of a lesson in which roles decide who may do what.
const NeedRBAC = "RBAC"

// NeedNodes is the need of a lesson whose Pods run: a ready node, and the controllers of workloads.
const NeedNodes = "nodes"

// A Source is the file of a lesson; its translations are in the same folder. The zero Source is that of a lesson without a file.
type Source struct {
	Folder fs.FS
	File   string // in Folder
	Shown  string // File as errors name it
}

// A Step is one act of a lesson: a request, a watch, frames, or words alone. All its texts may have placeholders: {ns} is
// the lesson's namespace, {id} the characters at its end that the server made, for what is in no namespace and needs a name
// of its own, and {long} a text of 160 KiB; others stand for values that earlier steps kept.
//
// A step whose actor is you is the reader's. Where there is a reader and a Witness, the player waits until the reader's own
// client, by the command in You, has sent the Request or opened the Watch, and checks that answer. Elsewhere, as in Verify,
// the player sends it.
//
// Faults are rules for the server's gate, as /debug/gate takes them. Each must mean the lesson's own namespace alone, by ns:{ns} in
// its filter. They are removed when a step says Mend, and when the lesson ends, fails, is reset or is stopped.
type Step struct {
	Title   string   `yaml:"title"`
	Tell    string   `yaml:"tell"` // the narration
	Look    string   `yaml:"look"` // what to look at
	At      *At      `yaml:"at"`   // where that is; nil for the pane as a whole
	You     string   `yaml:"you"`  // a command for the reader: to try, or if As is you, to do the step
	Show    Show     `yaml:"show"`
	Predict *Predict `yaml:"predict"`

	Mend   bool     `yaml:"mend"`   // the lesson's fault rules are removed, before all else
	Faults []string `yaml:"faults"` // fault rules to add, before the step acts

	Close string `yaml:"close"` // the name of a Watch that its client ends, before the step acts
	Stop  string `yaml:"stop"`  // a server of the lesson that goes away, before the step acts
	Start string `yaml:"start"` // a server of the lesson that comes back

	As      string            `yaml:"as"` // the actor of Request or Watch
	Request *Request          `yaml:"request"`
	Each    []string          `yaml:"each"`   // texts: Request is sent with each in the place of {each}, Expect is of every answer
	Later   string            `yaml:"later"`  // a name for Request: a fault rule is to hold it, and its answer is another step's
	Answer  *Answer           `yaml:"answer"` // of a request that was sent Later
	Watch   *Watch            `yaml:"watch"`
	Frames  *Frames           `yaml:"frames"`
	Expect  Expect            `yaml:"expect"` // of the answer to Request, or of Answer
	Until   *Expect           `yaml:"until"`  // instead of Expect: a request that writes nothing is repeated until its answer is so
	Keep    map[string]string `yaml:"keep"`   // placeholder → path of the value in the same answer
	Asked   *Asked            `yaml:"asked"`  // what a server of the lesson was asked during the step
}

// A Predict is a question for the reader before the step is played.
type Predict struct {
	Ask     string   `yaml:"ask"`
	Choices []string `yaml:"choices"`
	Answer  string   `yaml:"answer"` // one of Choices
}

// A Request is an HTTP request.
type Request struct {
	Method  string            `yaml:"method"`
	Path    string            `yaml:"path"` // with the query, escaped
	Headers map[string]string `yaml:"headers"`
	Patch   string            `yaml:"patch"` // json, merge, strategic or apply: the Content-Type of a PATCH
	Body    any               `yaml:"body"`  // sent as JSON; nil sends none
	Text    string            `yaml:"text"`  // sent as it is, instead of Body, for what is not JSON; "" sends none
}

// An Answer lets a held request go, and waits for what it is answered with.
type Answer struct {
	Of         string `yaml:"of"`         // the name of a request that was sent Later
	Do         string `yaml:"do"`         // go, refuse or drop; "" means go
	Code       int    `yaml:"code"`       // of refuse: the HTTP status; 0 leaves it to the server
	RetryAfter int    `yaml:"retryAfter"` // of refuse: seconds; 0 for none
}

// Verdict returns Do with its default.
func (a *Answer) Verdict() string {
	if a.Do == "" {
		return "go"
	}
	return a.Do
}

// A Watch opens a watch stream that stays open until a step says Close, or the lesson ends.
type Watch struct {
	Name    string            `yaml:"name"` // for Frames.From
	Path    string            `yaml:"path"`
	Headers map[string]string `yaml:"headers"`
}

// Frames waits for events of a watch, in this order and with none between them; bookmarks that are not expected are
// passed over.
type Frames struct {
	From   string  `yaml:"from"` // the name of a Watch
	Expect []Frame `yaml:"expect"`
	Ends   bool    `yaml:"ends"` // whether the server ends the stream after them
}

// A Frame is an event that is expected.
type Frame struct {
	Type   string                    `yaml:"type"` // ADDED MODIFIED DELETED BOOKMARK ERROR
	Object map[string]expr.Condition `yaml:"object"`
	Keep   map[string]string         `yaml:"keep"` // placeholder → path of the value in the object
}

// An Expect is what an answer must be.
type Expect struct {
	None    bool                      `yaml:"none"` // instead of all else: the connection ends without an answer
	Status  int                       `yaml:"status"`
	Headers map[string]expr.Condition `yaml:"headers"` // by name; a header that comes several times is one text, joined by commas
	Body    map[string]expr.Condition `yaml:"body"`    // by path, see expr.Lookup
	Text    *expr.Condition           `yaml:"text"`    // of the body as a text, for answers that are not JSON
	Size    *expr.Condition           `yaml:"size"`    // of the body's length in bytes, as it came
}

// Shown is what a screen opens for the step, with the defaults filled in, and the object to select: none on the page
// traffic, where the step's own request is selected, unless the step names one.
func (s Step) Shown() (Show, Ref) {
	show := s.Show
	if show.Page == "" {
		show.Page = "traffic"
	}
	if show.Pane == "" {
		show.Pane = "list"
		if show.Tab != "" {
			show.Pane = "detail"
		}
	}
	path := show.Object
	if path == "" && show.Page != "traffic" {
		path = s.Path()
	}
	ref, _ := RefOf(path)
	return show, ref
}

// Path is that of the step's request or watch; "" if it sends nothing.
func (s Step) Path() string {
	switch {
	case s.Request != nil:
		return s.Request.Path
	case s.Watch != nil:
		return s.Watch.Path
	}
	return ""
}
