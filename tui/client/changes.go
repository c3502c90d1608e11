package client

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kubarium/flow"
)

// A ChangeLog is what the server answers to /debug/changes: its change log, newest first. The UI asks for it once, as
// any client could, so that the axis begins where the history does and not where the UI does.
type ChangeLog struct {
	Changes []LoggedChange
}

// A LoggedChange is one change of it.
type LoggedChange struct {
	Revision, BeforeRevision, Bytes int64
	Type, Resource, Namespace, Name string
	At                              time.Time
	Outside                         bool
	Before, After                   json.RawMessage // of a single change alone
}

// Commit is the change as the log of commits has it.
func (c *LoggedChange) Commit() flow.Commit {
	out := flow.Commit{Revision: c.Revision, Resource: c.Resource, Namespace: c.Namespace, Name: c.Name, At: c.At, Outside: c.Outside}
	if c.Type != "" {
		out.Type = flow.ChangeType(c.Type[0])
	}
	return out
}

// ReadChanges asks for the newest changes, as many as limit.
func ReadChanges(a *Client, limit int) (log ChangeLog, err error) {
	err = a.Read("/debug/changes", url.Values{"limit": {strconv.Itoa(limit)}}, JSON, &log)
	return log, err
}

// ReadTerminating asks for what is terminating, however long ago that began.
func ReadTerminating(a *Client) (log ChangeLog, err error) {
	err = a.Read("/debug/changes", url.Values{"terminating": {"true"}, "limit": {strconv.Itoa(mostTerminating)}}, JSON, &log)
	return log, err
}

// A Change is one change with its object, read back for the screen Versions.
type Change struct {
	Before, After []byte // secrets masked
	None          bool   // the store does not have it any more
	Alone         bool   // the store does not have the version before it any more
	Err           error
}

// ReadChange does I/O and is called off the loop. The resource is named so that the record of this very request knows
// that it holds a Secret.
func ReadChange(a *Client, revision int64, resource string, mask func([]byte) []byte) *Change {
	var log ChangeLog
	query := url.Values{"revision": {strconv.FormatInt(revision, 10)}, "resource": {resource}}
	if err := a.Read("/debug/changes", query, JSON, &log); err != nil {
		return &Change{Err: err}
	}
	if len(log.Changes) == 0 {
		return &Change{None: true}
	}
	c := log.Changes[0]
	return &Change{Before: mask(c.Before), After: mask(c.After), Alone: c.BeforeRevision > 0 && len(c.Before) == 0}
}

// mostTerminating is how many objects that were terminating before the UI began are read back.
const mostTerminating = 200

// Commits are the changes, oldest first.
func (l ChangeLog) Commits() []flow.Commit {
	out := make([]flow.Commit, 0, len(l.Changes))
	for _, c := range slices.Backward(l.Changes) {
		out = append(out, c.Commit())
	}
	return out
}
