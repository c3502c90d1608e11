// Package chain tells what led a client to a write: events of its watches, then what it read. It works from records
// alone, of a run that goes on or of one that is over.
//
// A record does not say why a client acted. An event is linked to a write by what both are about, or by time alone;
// each link says which. Where several events can be the reason, all are named.
package chain

import (
	"time"

	"kubarium/flow"
)

// A Chain is one write and what led to it.
type Chain struct {
	Write  uint64  `json:"write"`            // the number of its flow
	Events []Event `json:"events,omitempty"` // that may be its reason: the surest link first, then the newest; at most maxEvents
	More   int     `json:"more,omitzero"`    // further events that may be
	Reads  []Read  `json:"reads,omitempty"`  // by the client between the first of the events and the write, oldest first
	Retry  uint64  `json:"retry,omitzero"`   // the refused request that this one tries again
	// Idle is the time since the client's last write of the object, where no event about it came in between: a timer, a
	// resync or a retry of the client's own.
	Idle time.Duration `json:"idle,omitzero"`
}

// An Event is one frame of a watch that the client, or another part of its program, had before the write.
type Event struct {
	Link      Link          `json:"link"`
	Watch     uint64        `json:"watch"`            // its ID
	Client    string        `json:"client,omitempty"` // the tag of the watch's client
	Resource  string        `json:"resource"`         // "deployments.apps"
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name,omitempty"`
	Type      string        `json:"type"` // ADDED MODIFIED DELETED
	Revision  int64         `json:"revision"`
	Written   time.Time     `json:"written"`
	Before    time.Duration `json:"before"`         // how long before the write began; negative if the time was noted after it
	By        uint64        `json:"by,omitzero"`    // the request that committed the revision
	ByTag     string        `json:"byTag,omitzero"` // its client
}

// A Read is a request that read, by the same client.
type Read struct {
	Link     Link          `json:"link"`
	Seq      uint64        `json:"seq"`
	Verb     string        `json:"verb"` // get, list
	Resource string        `json:"resource"`
	Name     string        `json:"name,omitempty"`
	Revision int64         `json:"revision,omitzero"`
	Before   time.Duration `json:"before"` // how long before the write its answer was complete
}

// A Link says how an event or a read is known to belong to a write.
type Link string

// The links, the surest first.
const (
	Version Link = "version" // the write sent back this very resourceVersion
	Object  Link = "object"  // it is about the object that was written
	Owner   Link = "owner"   // about the owner of that object
	Owned   Link = "owned"   // about an object that it owns
	Named   Link = "named"   // one of the two names the other: a Pod's nodeName, an Event's regarding
	Time    Link = "time"    // it came shortly before, and nothing else is known
)

// A Reader follows the flows of a run. It is not safe for concurrent use.
type Reader struct{}

// NewReader returns a Reader that has seen nothing. watches are those of the run, open and ended; it is called for each write.
func NewReader(watches func() []*flow.Watch) *Reader { return &Reader{} }

// Add reads the next flow, and returns the chain of a write, of a refused one too; nil for other flows and where nothing
// is known.
func (r *Reader) Add(f *flow.Flow) *Chain { return nil }

// Of returns the chain of a write that was read, nil if there is none or it is no longer kept.
func (r *Reader) Of(write uint64) *Chain { return nil }

// Followers returns the writes whose reason may be the event of a revision, oldest first.
func (r *Reader) Followers(revision int64) []uint64 { return nil }
