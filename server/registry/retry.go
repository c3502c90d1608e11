package registry

import (
	"context"
	"errors"

	"kubarium/server/storage"
)

// Writes are tried again where another writer was faster. Each loop repeats all that stands further right, inside it:
//
//	repeats                       on                                        as often as
//	server.perform                the store was restored meanwhile          it happens, while the client waits; from
//	                              (storage.ErrRestored), or the body was    authenticate on, as the same request
//	                              edited at the gate (gate.ErrEdited)
//	└ Registry.retry              the object has changed, is gone or has    it happens, until ctx ends; from reading the
//	  │ change, delete, Bind,     come (ErrConflict, ErrNotFound, outrun),  object on, past the admission plugins as well
//	  │ Evict, insert             when its writer named no version
//	  ├ createGenerated           the generated name is taken               8 names, then 409
//	  │ └ Registry.retry (insert) another server has taken what was         it happens, until ctx ends; from the system
//	  │                           allocated (errOutrun)                     fields on, behind the mutating plugins
//	  └ commitNew                 the namespace has changed since it was    it happens; only the namespace is looked at
//	                              looked at, and still admits the object    again
//
// A resourceVersion or uid that the client named is its own condition: it ends in a 409, and nothing is tried again.

// errOutrun says that another writer was faster in a way that the store does not report as an error of the object itself: the
// object appeared while it was being created, changed while its eviction was decided, or what was allocated for it is taken.
var errOutrun = errors.New("another writer was faster")

// outrun says whether a try failed because another writer was faster.
func outrun(err error) bool {
	return errors.Is(err, storage.ErrConflict) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, errOutrun)
}

// retry calls try until no other writer is faster, or ctx ends. Between two tries it waits until what was faster can be read.
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
