package registry

import (
	"context"
	"errors"

	"kubarium/server/storage"
)

// Writes are tried again where another writer was faster. Each loop repeats what is drawn inside it:
//
//	who repeats                    on                                       how often, and from where
//	server.perform                 the store was restored (ErrRestored),    as often as it happens, while the client
//	│                              the body was edited at the gate          waits; from authenticate on
//	│                              (gate.ErrEdited)
//	├ retry: change, delete,       the object has changed, is gone or has   as often as it happens, until ctx ends;
//	│ │ deleteDamaged, Bind, Evict come since it was read (ErrConflict,     from reading the object on, so that the
//	│ │                            ErrNotFound, errOutrun)                  plugins are asked again
//	│ └ retry: insert              (as below, where an edit creates)
//	└ createGenerated              the generated name is taken              8 names, then 409
//	  └ retry: insert              another server has taken what was        as often as it happens, until ctx ends;
//	    │                          allocated (errOutrun)                    after the mutating plugins
//	    └ commitNew                the namespace has changed since it was   as often as it happens; only the namespace
//	                               looked at (ErrConflict)                  is looked at again
//
// A resourceVersion or uid that the client named is its own condition: it ends in a 409, and is not tried again.

// errOutrun says that another writer was faster where the store has no error for it: the object appeared while it was
// being created, changed while its eviction was decided, or what was allocated for it is taken.
var errOutrun = errors.New("another writer was faster")

// outrun says whether a try failed because another writer was faster.
func outrun(err error) bool {
	return errors.Is(err, storage.ErrConflict) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, errOutrun)
}

// retry calls try until no other writer is faster, or ctx ends. Between two tries it waits until what was faster can
// be read.
func (r *Registry) retry(ctx context.Context, t Target, try func() error) error {
	for {
		err := try()
		if !outrun(err) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return interpret(err, t)
		}
		if err := r.Current(ctx); err != nil {
			return err
		}
	}
}
