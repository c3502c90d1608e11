package play

import (
	"kubarium/scenarios"
	"kubarium/scenarios/check"
)

// A Phase is what a player does at the moment.
type Phase string

const (
	Idle    Phase = "idle"
	Running Phase = "running"
	Paused  Phase = "paused"
	Waiting Phase = "waiting" // for the reader: an answer to the question of the next step, or State.Await
	Failed  Phase = "failed"
	Done    Phase = "done"
)

// A State is what a player does, and how far it is.
type State struct {
	Phase     Phase
	Namespace string // the lesson's own; "" before the first step
	Done      int    // steps done
	Total     int
	Step      scenarios.Step // the step under way or done last, or while Waiting the one that asks; its texts are filled in
	Result    *check.Result  // of the step done last; nil if there is none
	Sent      Sent           // what Step sends
	Answer    string         // the reader's prediction for Step, "" if none
	Came      string         // the reader's own request that Step took: "PATCH deployments/pump by kubectl → 200"; "" for none
	Await     *Await         // what the reader has to send while Waiting, for Step; nil if nothing
	Notice    *Notice        // that another client changed what the lesson made; nil if none did since the last Step or Run
	Problem   string         // why the lesson failed
	Replaced  []string       // controllers that are paused while the lesson does their work, see scenarios.Lesson

	at place // of Step
}

// A Told is a step that was begun, with its texts filled in.
type Told struct {
	scenarios.Step
	Sent Sent

	at place
}

// A Sent distinguishes the request of a step from all others.
type Sent struct {
	Actor  string // "" for a step that sent nothing
	Method string
	Path   string
	Mark   string // the value of its MarkHeader; of a step that waits for frames, that of the watch; "" for none
	ID     uint64 // of a request that the reader sent, see Seen; 0 if the player did
}

// An Await is what a lesson waits for while the reader has to send a request.
type Await struct {
	Command string // the reader's, filled in
	Came    string // what came in its place, or how its answer differs from what is expected; "" if nothing came
}

// Over reports whether the lesson is done or has failed.
func (s State) Over() bool { return s.Phase == Done || s.Phase == Failed }

// A place is a step of a lesson, with the values that its placeholders had when it began.
type place struct {
	index  int
	values map[string]string // never changed
}

// step returns the step with its placeholders filled in, from the lesson in one language or another.
func (at place) step(words *scenarios.Lesson) scenarios.Step {
	return words.Steps[at.index].Filled(at.values)
}
