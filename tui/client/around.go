package client

import (
	"net/url"
	"slices"
	"strconv"

	"kubarium/flow"
)

// ReadAround reads the change in force at a revision and the one after it, the older one first, as far as the store
// still has them.
func ReadAround(a *Client, revision int64) ([]flow.Commit, error) {
	var older, newer flow.ChangeLog
	number := strconv.FormatInt(revision, 10)
	if err := a.Read("/debug/changes", url.Values{"before": {number}, "limit": {"1"}}, JSON, &older); err != nil {
		return nil, err
	}
	if err := a.Read("/debug/changes", url.Values{"revision": {strconv.FormatInt(revision+1, 10)}}, JSON,
		&newer); err != nil {
		return nil, err
	}
	return slices.Concat(older.Commits(), newer.Commits()), nil
}
