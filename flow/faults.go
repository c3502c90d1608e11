package flow

import "time"

// A FaultMark says what a fault rule, or a person at the gate, did to a request or to an event of a watch. Every
// touched request or event has one: what it shows is not what the server would have done by itself.
type FaultMark struct {
	Rule    string `json:"rule,omitzero"`    // the line of the rule
	Name    string `json:"name,omitzero"`    // its name, if it has one
	Action  string `json:"action,omitzero"`  // hold delay refuse cut lose coalesce lag
	Station string `json:"station,omitzero"` // before which it acted
	// At is the time since the flow's Start; for an event of a watch, since the watch was opened.
	At      time.Duration `json:"at,omitzero"`
	Waited  time.Duration `json:"waited,omitzero"`  // how long it was held
	Outcome string        `json:"outcome,omitzero"` // "let go", "refused 409", "dropped", "connection cut"
	Edited  string        `json:"edited,omitzero"`  // what was edited: "body", "answer", "object"; "" for nothing
	// Seen is the version that a lagging answer shows; of an event, its version. 0 for none.
	Seen int64 `json:"seen,omitzero"`
	// Object is what an event is about, "shop/web"; "" for a request.
	Object string `json:"object,omitzero"`
}

// Fault notes what was done to the request.
func (r *Recorder) Fault(m FaultMark) {
	if r != nil {
		r.Flow.Faults = append(r.Flow.Faults, m)
	}
}

// keepFaults is how many of its last marks a Watch keeps.
const keepFaults = 64

// Touched notes what was done to an event of the watch, which may then not have been sent.
func (w *Watch) Touched(m FaultMark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touched++
	last := w.faults[max(0, len(w.faults)+1-keepFaults):]
	w.faults = append(append(make([]FaultMark, 0, len(last)+1), last...), m) // readers may hold the old slice
}
