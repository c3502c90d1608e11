package check

import (
	"fmt"
	"net/http"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
	"kubarium/scenarios/expr"
	"kubarium/scenarios/servers"
)

// An Outcome is what came of a step before it is checked.
type Outcome struct {
	Method   string // of the request or the watch; "" if the step sent nothing
	Path     string
	Body     []byte           // as sent
	Response *client.Response // nil if there is none, or none yet
	Lost     error            // why there is no answer to the request; nil if there is one
	Held     string           // the station before which the server's gate holds the request; "" if it does not
	Frames   []client.Frame   // of the watch that the step waits for
	Ended    error            // why there was no other frame; client.ErrStreamEnd if the stream has ended
	Asked    []servers.Heard  // what the server in the step's asked has heard, the last request first
	Err      error            // why the step could not be played

	Reader bool // the reader sent it, by a client that may have asked for a Table
	Cut    bool // the body of the answer is not all of it
}

// A Result is what came of a step, for its reader.
type Result struct {
	Step   scenarios.Step // with its texts filled in
	Method string         // of the request or the watch; "" if the step sent nothing
	Path   string
	Body   []byte      // as sent
	Status int         // of the answer; 0 if there was none, or none yet
	Answer []byte      // the body of the answer; nil for a watch
	Header http.Header // of the answer; nil if there was none
	Brief  string      // the answer in a line: "409 Conflict (…)"; or why there is none
	Facts  []Fact      // what was checked, in order
	Frames []Event     // of a step that waits for frames
	Ended  bool        // whether the stream of the frames has ended, as the step expects
	Heard  *Heard      // what a server of the lesson was asked; nil if the step does not say
}

// A Fact is a field that was checked, and what it was.
type Fact struct {
	Path  string
	Value string // "" if there is no such field
}

// An Event is a frame of a watch, and what says in short what it is about.
type Event struct {
	Type, Kind, Name, ResourceVersion string
	Object                            map[string]any
}

// A Heard is what a server of the lesson was asked.
type Heard struct {
	Server string
	Method string // "" if it was not asked
	Path   string // with the query
	Facts  []Fact
	Answer string // how it answered, in short: "allowed", "denied: no fish", "200 OK"
}

// A Mismatch is an expectation that did not hold.
type Mismatch struct {
	Lesson   string
	Step     int // from 1
	Title    string
	What     string // "status", "body metadata.name", "frame 2 type"
	Expected string
	Actual   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s, step %d (%s): %s: %s", m.Lesson, m.Step, m.Title, m.What, m.Difference())
}

// Difference says what was expected, and what came instead.
func (m *Mismatch) Difference() string {
	return fmt.Sprintf("expected %s, got %s", m.Expected, expr.Printable(expr.Shortened(m.Actual)))
}
