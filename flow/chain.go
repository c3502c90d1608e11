package flow

import "time"

// A Chain is one write and what led to it, as analysis/chain finds it. A record of the server itself has none: one that
// records, exports or shows the flow adds it.
type Chain struct {
	Write  uint64       `json:"write"`            // the number of its flow
	Events []ChainEvent `json:"events,omitempty"` // that may be its reason, the likeliest first
	More   int          `json:"more,omitzero"`    // further events that may be
	Reads  []ChainRead  `json:"reads,omitempty"`  // by the client, between the events and the write, oldest first
	Retry  uint64       `json:"retry,omitzero"`   // the refused request that this one tries again
	// Idle is the time since the client's last write of the object, where no event about it came in between: a timer,
	// a resync or a retry of the client's own.
	Idle time.Duration `json:"idle,omitzero"`
	Last uint64        `json:"last,omitzero"` // with Idle: that last write
}

// A ChainEvent is one frame of a watch that the client, or another part of its program, had before the write.
type ChainEvent struct {
	Link      Link          `json:"link"`
	Watch     uint64        `json:"watch"`            // its ID
	Client    string        `json:"client,omitempty"` // the tag of the watch's client
	Resource  string        `json:"resource"`         // "deployments.apps"
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name,omitempty"`
	Type      string        `json:"type"` // ADDED MODIFIED DELETED
	Revision  int64         `json:"revision"`
	Written   time.Time     `json:"written"`
	Before    time.Duration `json:"before"`         // how long before the write began; negative if it was noted later
	By        uint64        `json:"by,omitzero"`    // the request that committed the revision
	ByTag     string        `json:"byTag,omitzero"` // its client
}

// A ChainRead is a request that read, by the same client.
type ChainRead struct {
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

// size estimates the memory of a chain in bytes.
func (c *Chain) size() int {
	if c == nil {
		return 0
	}
	return 128 + 200*cap(c.Events) + 120*cap(c.Reads)
}
