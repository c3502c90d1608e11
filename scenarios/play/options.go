package play

import (
	"net/http"
	"time"

	"kubarium/scenarios/check"
)

// Options say how a lesson is played. The zero value plays it headless, as fast as the server answers.
type Options struct {
	Client   *http.Client  // nil means a client without a time limit of its own
	Bare     *http.Client  // a client without credentials, for actors that bring a token; nil means that Client has none, either
	Ask      bool          // there is a reader: Run stops after each step unless there is a Pace, and asks for predictions
	Pace     int           // words a minute: Run goes on by itself, after the time to read a step's words; 0 means no pauses
	Patience time.Duration // how long an answer or an event may take before the step fails; 0 means 10 s
	Leave    bool          // what the lesson made stays until Reset, for a reader to look at
	Witness  Witness       // sees what others do; nil means that the player sends the reader's requests itself
	Kubectl  string        // what kubectl needs to find the server, for commands in texts: " -s http://127.0.0.1:1234"

	// See is called after each step that was played; an error fails the lesson. It looks whether a reader's screen
	// shows what the step points at. nil looks at nothing.
	See func(p *Player) error

	Say func(step int, r *check.Result) // called by Run after each step, with its number from 1; nil for none
}
