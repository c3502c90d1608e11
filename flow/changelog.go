package flow

import (
	"encoding/json"
	"slices"
	"time"
)

// A ChangeLog is the answer of /debug/changes: the change log as it is still known, the newest change first.
type ChangeLog struct {
	Revision  int64          `json:"revision"`  // the newest one
	Compacted int64          `json:"compacted"` // reads below it are expired; of older changes the log has only those that made objects what they are
	Changes   []LoggedChange `json:"changes"`
}

// A LoggedChange is one change, without the object unless the request names its revision.
type LoggedChange struct {
	Revision       int64           `json:"revision"`
	Type           string          `json:"type"` // C, U or D
	Resource       string          `json:"resource"`
	Namespace      string          `json:"namespace,omitempty"`
	Name           string          `json:"name"`
	At             time.Time       `json:"at"`
	Outside        bool            `json:"outside,omitempty"`        // made by another process than this server
	BeforeRevision int64           `json:"beforeRevision,omitempty"` // of the version that it met
	Bytes          int64           `json:"bytes"`                    // of the object after it
	Terminating    bool            `json:"terminating,omitempty"`    // the object is so still, and has a deletionTimestamp
	Before         json.RawMessage `json:"before,omitempty"`         // as stored; a text where that is not JSON
	After          json.RawMessage `json:"after,omitempty"`
}

// Commit returns the change as a commit.
func (c *LoggedChange) Commit() Commit {
	out := Commit{Revision: c.Revision, Resource: c.Resource, Namespace: c.Namespace, Name: c.Name, At: c.At, Outside: c.Outside}
	if c.Type != "" {
		out.Type = ChangeType(c.Type[0])
	}
	return out
}

// Commits returns the changes as commits, oldest first.
func (l ChangeLog) Commits() []Commit {
	out := make([]Commit, 0, len(l.Changes))
	for _, c := range slices.Backward(l.Changes) {
		out = append(out, c.Commit())
	}
	return out
}
