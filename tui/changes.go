package tui

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kubarium/server/flow"
)

// A changeLog is what the server answers to /debug/changes: its change log, newest first. The UI asks for it once, as
// any client could, so that the axis begins where the history does and not where the UI does.
type changeLog struct {
	Changes []loggedChange
}

// A loggedChange is one change of it.
type loggedChange struct {
	Revision, BeforeRevision, Bytes int64
	Type, Resource, Namespace, Name string
	At                              time.Time
	Outside                         bool
	Before, After                   json.RawMessage // of a single change alone
}

func (c *loggedChange) commit() flow.Commit {
	out := flow.Commit{Revision: c.Revision, Resource: c.Resource, Namespace: c.Namespace, Name: c.Name, At: c.At, Outside: c.Outside}
	if c.Type != "" {
		out.Type = flow.ChangeType(c.Type[0])
	}
	return out
}

// readChanges asks for the newest changes, as many as limit.
func readChanges(a *api, limit int) (log changeLog, err error) {
	err = a.read("/debug/changes", url.Values{"limit": {strconv.Itoa(limit)}}, asPlainJSON, &log)
	return log, err
}

// readTerminating asks for what is terminating, however long ago that began.
func readTerminating(a *api) (log changeLog, err error) {
	err = a.read("/debug/changes", url.Values{"terminating": {"true"}, "limit": {strconv.Itoa(mostTerminating)}}, asPlainJSON, &log)
	return log, err
}

// A recalledChange is one change with its object, read back for the screen Versions.
type recalledChange struct {
	before, after []byte // secrets masked
	none          bool   // the store does not have it any more
	alone         bool   // the store does not have the version before it any more
	err           error
}

// readChange does I/O and is called off the loop. The resource is named so that the record of this very request knows
// that it holds a Secret.
func readChange(a *api, revision int64, resource string, mask func([]byte) []byte) *recalledChange {
	var log changeLog
	query := url.Values{"revision": {strconv.FormatInt(revision, 10)}, "resource": {resource}}
	if err := a.read("/debug/changes", query, asPlainJSON, &log); err != nil {
		return &recalledChange{err: err}
	}
	if len(log.Changes) == 0 {
		return &recalledChange{none: true}
	}
	c := log.Changes[0]
	return &recalledChange{before: mask(c.Before), after: mask(c.After), alone: c.BeforeRevision > 0 && len(c.Before) == 0}
}

// mostTerminating is how many objects that were terminating before the UI began are read back.
const mostTerminating = 200

// commits are the changes, oldest first.
func (l changeLog) commits() []flow.Commit {
	out := make([]flow.Commit, 0, len(l.Changes))
	for _, c := range slices.Backward(l.Changes) {
		out = append(out, c.commit())
	}
	return out
}
