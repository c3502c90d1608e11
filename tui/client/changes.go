package client

import (
	"net/url"
	"strconv"

	"kubarium/flow"
)

// ReadChanges reads the newest changes, at most limit. The UI reads them once, as any client could, so that the axis does
// not begin only when the UI does.
func ReadChanges(a *Client, limit int) (log flow.ChangeLog, err error) {
	err = a.Read("/debug/changes", url.Values{"limit": {strconv.Itoa(limit)}}, JSON, &log)
	return log, err
}

// ReadTerminating reads the objects that are terminating, regardless of when that began.
func ReadTerminating(a *Client) (log flow.ChangeLog, err error) {
	query := url.Values{"terminating": {"true"}, "limit": {strconv.Itoa(mostTerminating)}}
	err = a.Read("/debug/changes", query, JSON, &log)
	return log, err
}

// A Change is one change with its object, for the page Versions.
type Change struct {
	Before, After []byte // secrets masked
	None          bool   // the store no longer has it
	Alone         bool   // the store no longer has the version before it
	Err           error
}

// ReadChange does I/O and is called off the loop. The request names the resource so that its own record is known to
// contain a Secret.
func ReadChange(a *Client, revision int64, resource string, mask func([]byte) []byte) *Change {
	var log flow.ChangeLog
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

// mostTerminating is how many objects that were terminating before the UI began are read.
const mostTerminating = 200
