package program

import (
	"context"
	"log/slog"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// StartAnywhere is Start in a mode that does not let everybody do everything.
var StartAnywhere = start

// FailAfter lets a step of the start fail once it is done.
func (c *Config) FailAfter(step string) { c.failAfter = step }

// FailForks lets that step of the start of forks fail; "" lets none.
func (p *Program) FailForks(step string) { p.config.failAfter = step }

// Term is one term of a server in its election: from when it is a candidate until another may work.
func Term(ctx context.Context, lock resourcelock.Interface, work func(context.Context)) error {
	return (&Program{logger: slog.New(slog.DiscardHandler)}).term(ctx, lock, work)
}

// DeleteEvents deletes the Events whose last write was before a time.
func (p *Program) DeleteEvents(ctx context.Context, before time.Time) error {
	return p.deleteEvents(ctx, before)
}
