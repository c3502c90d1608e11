package rule

import (
	"time"

	"kubarium/flow"
)

// A State is what a gate tells of itself: /debug/gate answers with it.
type State struct {
	Seed  uint64   `json:"seed"`
	Rules []Active `json:"rules"` // in the order in which they are asked
	Held  []Held   `json:"held"`  // the oldest first
	// Touched counts the requests, and events of watches, that rules have acted on since the server began.
	Touched uint64 `json:"touched"`
}

// An Active is a rule as it stands.
type Active struct {
	ID    int    `json:"id"`   // counts the rules of this run, from 1
	Line  string `json:"line"` // as Parse reads it
	Name  string `json:"name,omitzero"`
	Seen  int    `json:"seen"`           // requests, or events, that it has met
	Hits  int    `json:"hits"`           // on how many of them it acted
	Spent bool   `json:"spent,omitzero"` // whether it acts no more, having done so as often as it says
}

// A Held is a request, or an event of a watch, that stands before a station.
type Held struct {
	ID      uint64        `json:"id"`   // counts what was held in this run, from 1
	Rule    int           `json:"rule"` // the ID of the rule that holds it
	Station string        `json:"station"`
	Since   time.Time     `json:"since"`
	Until   time.Time     `json:"until,omitzero"` // when it goes on by itself; zero for never
	Left    time.Duration `json:"left,omitzero"`  // of the request's own time, which stands still; 0 for no bound

	Client flow.Client `json:"client"`
	Start  time.Time   `json:"start"` // of the request
	Method string      `json:"method"`
	Path   string      `json:"path"`
	Query  string      `json:"query,omitzero"` // credentials are masked
	Target flow.Target `json:"target"`

	Sent   int64 `json:"sent,omitzero"`   // the resourceVersion that the request named
	Stored int64 `json:"stored,omitzero"` // the one that its object has now; 0 if there is none, or that is not known
	Status int   `json:"status,omitzero"` // of the answer that is held
	// Committed is the revision that the request has committed already, 0 if none.
	Committed int64 `json:"committed,omitzero"`
	// Watch and Frame say which event of which watch is held; nil for a request.
	Watch uint64      `json:"watch,omitzero"`
	Frame *flow.Frame `json:"frame,omitzero"`

	Edits string `json:"edits,omitzero"` // what may be edited: "body", "answer", "object"; "" for nothing
	Media string `json:"media,omitzero"` // its media type
	Size  int    `json:"size,omitzero"`  // its bytes
	// Text is all of what may be edited, as text of the media type; only for who asks for one Held. Protobuf and CBOR are told as JSON, and
	// taken as JSON.
	Text string `json:"text,omitzero"`
}

// Find is the held request of an ID, nil if there is none.
func (s *State) Find(id uint64) *Held {
	for i := range s.Held {
		if s.Held[i].ID == id {
			return &s.Held[i]
		}
	}
	return nil
}
