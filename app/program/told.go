package program

import (
	"context"
	"errors"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// errNotTaken ends the reading of a state that is not taken any further.
var errNotTaken = errors.New("the rest is not taken")

// ToldBy is the state of a store at a revision, for a new database to begin with; tell hands it over in the order of
// revisions. Where several objects share a revision, as etcd allows, all but the first get one of their own above
// that of the state.
func ToldBy(at storage.Revision, tell func(state func(storage.Change) error) error) *sqlitestore.Told {
	var failed error
	told := &sqlitestore.Told{From: at, Err: func() error { return failed }}
	told.Changes = func(yield func(storage.Change) bool) {
		var last storage.Revision
		failed = tell(func(c storage.Change) error {
			if c.Revision == last {
				told.From++
				c.Revision = told.From
			} else {
				last = c.Revision
			}
			if !yield(c) {
				return errNotTaken
			}
			return nil
		})
	}
	return told
}

// StateOf hands over the state of a store at a revision.
func StateOf(ctx context.Context, of storage.Engine, at storage.Revision) func(func(storage.Change) error) error {
	return func(state func(storage.Change) error) error {
		return of.ReadHistory(ctx, at, func(storage.Span) error { return nil }, state, nil)
	}
}
