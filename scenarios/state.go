package scenarios

// A Phase is what a player does.
type Phase string

const (
	Idle    Phase = "idle"
	Running Phase = "running"
	Paused  Phase = "paused"
	Waiting Phase = "waiting" // for the reader: an answer to the question of the next step, or State.Await
	Failed  Phase = "failed"
	Done    Phase = "done"
)

// A State is where a player stands.
type State struct {
	Phase     Phase
	Namespace string // the lesson's own; "" before the first step
	Done      int    // steps done
	Total     int
	Step      Step    // the step under way or done last, or while Waiting the one that asks; its texts are filled in
	Result    *Result // of the step done last; nil if there is none
	Sent      Sent    // what Step sends
	Answer    string  // the reader's prediction for Step, "" if none
	Await     *Await  // what the reader has to send while Waiting, for Step; nil if nothing
	Notice    *Notice // that somebody else changed what the lesson made; nil if nobody did since the last Step or Run
	Problem   string  // why the lesson failed

	at place // of Step
}

// A Told is a step that was begun, with its texts filled in.
type Told struct {
	Step
	Sent Sent

	at place
}

// A Sent tells the request of a step from all others.
type Sent struct {
	Actor  string // "" for a step that sent nothing
	Method string
	Path   string
	Mark   string // the value of its MarkHeader; of a step that waits for frames, that of the watch; "" for none
	ID     uint64 // of a request that the reader sent, see Seen; 0 if the player did
}
