package stream

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/cache"
	"kubarium/server/gate"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// end writes the last event: a bookmark at the end of a timed watch, an ERROR event when the history is gone or the
// store has ended. It returns why the stream ends.
func (st *stream) end(ctx context.Context, err error) string {
	var expired *storage.RevisionError
	switch {
	case errors.As(err, &expired):
		_ = st.sendError(registry.WatchError(st.frames.kind, expired))
		st.flow.Flow.Unavailable = registry.Unavailable(expired)
		return expired.Error()
	case errors.As(err, new(*storage.Failure)):
		_ = st.sendError(err)
		return err.Error()
	case errors.Is(err, cache.ErrSlow):
		return "too slow"
	case errors.Is(context.Cause(ctx), gate.ErrCut):
		return gate.ErrCut.Error()
	case st.s.Closing.Err() != nil:
		return "server is stopping"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		if st.options.AllowWatchBookmarks && !st.watch.Initial() {
			_ = st.bookmark(st.watch.Position(), false)
		}
		return "timeout"
	case st.client.Context().Err() != nil:
		return "client went away"
	}
	return err.Error()
}

// unsent ends the stream that could not send events.
func (st *stream) unsent(ctx context.Context, err error) string {
	if ended := (endedError{}); errors.As(err, &ended) {
		return st.end(ctx, ended.error)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return st.end(ctx, err) // it waited at the gate
	}
	if bad := (unencodable{}); st.frames.kind.Remote && errors.As(err, &bad) {
		_ = st.sendError(bad.error)
	}
	return whyUnsent(err)
}

// whyUnsent says why events were not sent.
func whyUnsent(err error) string {
	if bad := (unencodable{}); errors.As(err, &bad) {
		return bad.Error()
	}
	if refused := (refusedError{}); errors.As(err, &refused) {
		return refused.Error()
	}
	if errors.Is(err, gate.ErrCut) {
		return gate.ErrCut.Error()
	}
	return "client went away"
}

// An endedError is why there will be no more events, found while some were being sent.
type endedError struct{ error }

func (e endedError) Unwrap() error { return e.error }

// A refusedError is why a watch was ended with an ERROR event.
type refusedError struct{ apierrors.APIStatus }

func (e refusedError) Error() string { return e.Status().Message }
