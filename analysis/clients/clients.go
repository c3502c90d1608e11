// Package clients says what each client did and what it waits for, from records alone: of a run that goes on or of one
// that is over.
//
//	r := clients.NewReader(watches)
//	for _, f := range flows { // in the order of their numbers; as often as there are more
//		r.Add(f)
//	}
//	c := r.Of("k1", now)
//	… // c.Waits[0].What
//
// A record does not say why a client rests. The sentences follow from what it was answered, what its watches were sent
// and what is stored; where requests are missing, less is said.
//
// The package does no I/O. Its memory is bounded: it keeps the clients with the newest requests, and of each what it
// did last.
package clients

import (
	"time"

	"kubarium/flow"
)

// A Client is what one client did: one value of flow.Client.Tag.
type Client struct {
	flow.Client           // as in its newest request
	First, Last time.Time // of its requests
	Requests    int
	Writes      int // that changed something
	Refused     int // answers from 400 on
	Watches     []Watch
	Objects     []Object  // with what it did last to each, the newest first; at most maxObjects; a list is one
	Retries     []Retry   // that go on or ended within the last minutes, the newest first
	Refusals    []Refusal // by code, reason and object, the newest first
	Waits       []Wait    // what it waits for now, the gravest first; at least one
	Missed      uint64    // requests of all clients that were no longer kept when the Reader came to them
}

// A Watch is one watch of the client, or of another part of its program.
type Watch struct {
	*flow.Watch
	Other bool          // opened by another client of the program, such as its shared informers
	Lag   time.Duration // how long the oldest change that it has not been sent has waited; 0 for none
}

// An Object is what a client did last to one object; without a name, to the objects of a resource together: a list, a
// deletecollection, and the creation of Events.
type Object struct {
	Resource, Namespace, Name string
	Read, Wrote               uint64 // flows; 0 for none
	ReadAt, WroteAt           time.Time
	ReadRevision              int64
	WroteRevision             int64 // 0 if the write was refused
	Status                    int   // of the write
	Writes                    int
}

// A Retry is a write or read that was refused and sent again.
type Retry struct {
	Verb, Resource, Namespace, Name string // of the newest one
	Subresource                     string
	Tries                           []Try // oldest first, at most the last maxTries
	All                             int
	Ended                           bool // the last one was accepted, or the client gave up long ago
}

// A Try is one request of a Retry.
type Try struct {
	Seq    uint64
	At     time.Time
	Delay  time.Duration // since the one before was answered; 0 for the first
	Status int
	Reason string
	Sent   int64 // the resourceVersion that it sent
	Stored int64 // the one that was stored
}

// A Refusal is what a client was refused.
type Refusal struct {
	Status          int
	Reason, Message string
	Verb, Resource  string
	Namespace, Name string
	Count           int
	First, Last     time.Time
	Seq             uint64 // of the newest one
	RetryAfter      time.Duration
}

// A Wait is one thing that a client waits for, or why it does not go on.
type Wait struct {
	Kind  Kind
	What  string    // one sentence, without its reason: "it sends rv 226 of deployments/web again"
	Why   string    // a second one; "" for none
	Since time.Time // zero if unknown
	Until time.Time // when it is expected to go on; zero if unknown
	Seq   uint64    // a request that shows it; 0 for none
	Watch uint64    // the ID of a watch that shows it; 0 for none
}

// A Kind is a reason for waiting.
type Kind string

// The kinds, the gravest first.
const (
	EndedWatch   Kind = "watch ended"   // one of its watches ended, and no other took its place
	ConflictLoop Kind = "conflicts"     // it is refused again and again with a 409
	Refused      Kind = "refused"       // the same with another code: 403, 404, 422, 500
	Throttled    Kind = "asked to wait" // 429 or 503, with Retry-After
	Finalizer    Kind = "finalizer"     // an object that it deleted or that has its finalizer is not gone
	SlowWatch    Kind = "slow watch"    // it does not read its watch as fast as events come
	Unanswered   Kind = "unanswered"    // a request of it is held at the gate, or in progress
	Gone         Kind = "gone"          // it has closed its watches and sent nothing since
	Idle         Kind = "idle"          // for the next event; nothing is wrong
)
