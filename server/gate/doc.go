// Package gate does to requests what fault rules say: it holds them before a station, delays, refuses or cuts them,
// loses their answers, and lets watches and reads of a client lag.
//
//	rules (--faults, /debug/gate) ─► Gate ─┬► a Passage for each request ◄─ flow.Recorder.Before(station)
//	                                       └► a Stream for each watch, before each event
//
// A Gate has rules (package rule) and the requests that they hold. A request that comes while there are rules gets a
// Passage; without rules it has none, a nil pointer. A rule acts once on a request at its station, also where the
// registry tries again; the first rule that matches acts first. A rule knows of a request what is known when it comes;
// the answer's status is known before encode only.
//
// A held request is a goroutine that waits, and holds nothing else: its body was read before, so that net/http notices
// when its client goes; its Clock, which bounds its time, stops; its place among those in flight and its share of the
// budget are given back. It gets a share again in turn. Nothing before a gate holds the writer. The number of held
// requests and their bytes are bounded (maxHeld, maxHeldBytes).
//
// A body that is edited after decode makes the request begin again (ErrEdited). An edited answer is sent as JSON.
// ErrCut becomes http.ErrAbortHandler. Whatever a rule touched has a flow.FaultMark on its flow, or on the state of its
// watch.
package gate
