// Package clients tells what each client did and what it waits for, from records alone.
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
	Objects     []Object  // with what it did last to each, the newest first; at most maxObjects
	Retries     []Retry   // that go on or ended within the last minutes, the newest first
	Refusals    []Refusal // by code, reason and object, the newest first
	Waits       []Wait    // what it waits for now, the gravest first; at least one
}

// A Watch is one watch of the client, or of another part of its program.
type Watch struct {
	*flow.Watch
	Other bool          // opened by another client of the program, such as its shared informers
	Lag   time.Duration // how long the oldest change that it has not been sent has waited; 0 for none
}

// An Object is what a client did last to one object.
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
	Verb, Resource, Namespace, Name string
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
	What  string    // one sentence, without its reason: "it sends rv 226 of deployments/web again, but rv 231 is stored"
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
	EndedWatch   Kind = "watch ended"  // one of its watches ended, and no other took its place
	ConflictLoop Kind = "conflicts"    // it is refused again and again with a 409
	Refused      Kind = "refused"      // the same with another code: 403, 404, 422, 500
	Throttled    Kind = "told to wait" // 429 or 503, with Retry-After
	Finalizer    Kind = "finalizer"    // an object that it deleted or that has its finalizer is not gone
	SlowWatch    Kind = "slow watch"   // it does not read its watch as fast as events come
	Unanswered   Kind = "unanswered"   // a request of its has not been answered: it is held at the gate, or in progress
	Gone         Kind = "gone"         // it has closed its watches and sent nothing since
	Idle         Kind = "idle"         // for the next event; nothing is wrong
)

// A Reader follows the flows of a run. It is not safe for concurrent use.
type Reader struct{}

// NewReader returns a Reader that has seen nothing. watches are those of the run, open and ended.
func NewReader(watches func() []*flow.Watch) *Reader { return &Reader{} }

// Add reads the next flow.
func (r *Reader) Add(f *flow.Flow) {}

// Of returns what the client with this tag did up to now; nil if it sent nothing.
func (r *Reader) Of(tag string, now time.Time) *Client { return nil }

// Tags are the clients that sent anything, the one with the newest request first.
func (r *Reader) Tags() []string { return nil }
