package rule

import (
	"time"

	"kubarium/flow"
)

// A State is the state of a gate, and the answer of /debug/gate.
type State struct {
	Seed  uint64   `json:"seed"`
	Rules []Active `json:"rules"` // in the order in which they are tried
	Held  []Held   `json:"held"`  // oldest first
	// Touched counts the requests and events of watches on which rules have acted since the server began.
	Touched uint64 `json:"touched"`
	// Added are the IDs of the rules that this request added; only in the answer to such a request.
	Added []int `json:"added,omitzero"`
}

// An Active is a rule with its counters.
type Active struct {
	ID    int    `json:"id"`   // counts the rules of this run, from 1
	Line  string `json:"line"` // as Parse reads it
	Name  string `json:"name,omitzero"`
	Seen  int    `json:"seen"`           // requests or events that it has matched
	Hits  int    `json:"hits"`           // how many of them it acted on
	Spent bool   `json:"spent,omitzero"` // whether it has acted as often as it may
}

// A Held is a request, or an event of a watch, that is held before a station.
type Held struct {
	ID      uint64        `json:"id"`   // counts what was held in this run, from 1
	Rule    int           `json:"rule"` // the ID of the rule that holds it
	Station string        `json:"station"`
	Since   time.Time     `json:"since"`
	Until   time.Time     `json:"until,omitzero"` // when it is released at the latest; zero for never
	Left    time.Duration `json:"left,omitzero"`  // rest of the request's timeout, which is paused; 0 for no timeout

	Client flow.Client `json:"client"`
	Start  time.Time   `json:"start"` // of the request
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Query  string      `json:"query,omitzero"` // credentials are masked
	Target flow.Target `json:"target"`

	Sent   int64 `json:"sent,omitzero"`   // the resourceVersion in the request
	Stored int64 `json:"stored,omitzero"` // the one of the stored object; 0 if there is none, or it is not known
	Status int   `json:"status,omitzero"` // of the held answer
	// Committed is the revision that the request has already committed, 0 if none.
	Committed int64 `json:"committed,omitzero"`
	// Watch and Frame are the held event and its watch; zero for a request.
	Watch uint64      `json:"watch,omitzero"`
	Frame *flow.Frame `json:"frame,omitzero"`

	Edits string `json:"edits,omitzero"` // the part that can be edited: "body", "answer", "object"; "" for nothing
	Media string `json:"media,omitzero"` // its media type
	Size  int    `json:"size,omitzero"`  // its bytes
	// Text is the part that can be edited, as text of the media type; only in the answer for a single Held. Protobuf
	// and CBOR are sent and accepted as JSON.
	Text string `json:"text,omitzero"`
}

// Find returns the held request with an ID, nil if there is none.
func (s *State) Find(id uint64) *Held {
	for i := range s.Held {
		if s.Held[i].ID == id {
			return &s.Held[i]
		}
	}
	return nil
}
