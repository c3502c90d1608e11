// Package chain finds what led a client to a write: events of its watches, then what it read. It works from records
// alone, of a run that goes on or of one that is over.
//
//	r := chain.NewReader(func() []*flow.Watch { return log.Watches(flow.Forever) })
//	for _, f := range flows { // in order, soon after they came
//		if c := r.Add(f); c != nil {
//			… // c.Events, then c.Reads, then f
//		}
//	}
//
// A record does not say why a client acted. An event is linked to a write by what both are about, or by time alone;
// each link says which. Where several events can be the reason, all are named.
//
// # Which events can be the reason
//
// Those that a watch of the client's program had written before the write began, and that are about something related
// to the object written (related.go). Of these:
//
//   - only what came since the client's last accepted write of the object. Where that was less than a second ago, also
//     what came after the event that led to it: the client may have had it too late for that write.
//   - what came more than a second before the newest of them is dropped, unless the write sends its very
//     resourceVersion: a controller acts within moments.
//   - the client's own change of the object comes last: a controller gets the event of its own write too.
//
// Where there is none, the newest event of the last second that is not the client's own change is named, by time alone.
//
// # What is kept
//
// All is bounded by numbers of entries, independent of what clients send: see the constants of each file. A write whose
// reason is older has no chain.
package chain

import (
	"time"

	"kubarium/flow"
)

// A Chain is one write and what led to it.
type Chain = flow.Chain

// An Event is one frame of a watch that the client, or another part of its program, had before the write.
type Event = flow.ChainEvent

// A Read is a request that read, by the same client.
type Read = flow.ChainRead

// A Link says how an event or a read is known to belong to a write.
type Link = flow.Link

// The links, the surest first.
const (
	Version Link = "version" // the write sent back this very resourceVersion
	Object  Link = "object"  // it is about the object that was written
	Owner   Link = "owner"   // about the owner of that object
	Owned   Link = "owned"   // about an object that it owns
	Sibling Link = "sibling" // about another object of its owner
	Named   Link = "named"   // one names the other or its owner: a Pod's nodeName, an Event's regarding
	Time    Link = "time"    // it came shortly before, and nothing else is known
)

// ranks order the links.
var ranks = map[Link]int{Version: 0, Object: 1, Owner: 2, Owned: 3, Sibling: 4, Named: 5, Time: 6}

const (
	maxEvents = 4 // that a chain names
	maxReads  = 8

	// together is how long a client may take from an event to the write that it led to, where only time links them; and
	// how much older than the newest event another one may be that is a reason as well.
	together = time.Second

	// tolerance is how long after the begin of a write an event may have been noted that led to it: an event is noted
	// after its frame was written to the socket, when the client may have read it already.
	tolerance = time.Millisecond
)
