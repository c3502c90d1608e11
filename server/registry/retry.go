package registry

import (
	"context"
	"errors"
)

// catchUp waits until what has outrun a write can be read, for the next try.
func (r *Registry) catchUp(ctx context.Context, t Target) error {
	if err := ctx.Err(); err != nil {
		return interpret(err, t)
	}
	return r.Current(ctx)
}

// errRetry says that an object appeared while it was being created.
var errRetry = errors.New("retry")
