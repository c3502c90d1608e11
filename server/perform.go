package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/answer"
	"kubarium/server/audit"
	"kubarium/server/gate"
	"kubarium/server/loopback"
	"kubarium/server/storage"
)

// perform serves the request. Where the store is restored during that it begins again (registry/retry.go draws all
// such loops): no answer mixes states from before and after a restore, and no write that was judged before it commits
// after it.
func (s *Server) perform(q *Request, out *answer.Response) (*answer.Answer, error) {
	defer func() {
		q.share.GiveBack()
		q.body = nil
	}()
	fence, err := q.fence()
	if err != nil {
		return nil, err
	}
	for {
		a, err := s.try(q, out, fence)
		switch {
		case errors.Is(err, gate.ErrEdited):
			if err := s.again(q, out, "the body was edited"); err != nil {
				return nil, err
			}
			continue
		case fence != 0 && errors.Is(err, storage.ErrRestored):
			return nil, apierrors.NewConflict(q.Target.Kind.GroupResource(), q.Target.Name,
				fmt.Errorf("%w, after revision %d, at which the client has looked: it must look again", storage.ErrRestored, fence))
		case !s.crossed(q, a, err):
			return a, err
		}
		a.Abandon()
		if err := s.again(q, out, "the store was restored"); err != nil {
			return nil, err
		}
	}
}

// again brings a request back to where it was after route, and authenticates it again: the account, or its right to
// impersonate, may have gone. Warnings and marks so far are void.
func (s *Server) again(q *Request, out *answer.Response, why string) error {
	q.Flow.Enter("route")
	q.Flow.Again()
	q.Flow.Leave("again: "+why, nil)
	q.ForgetWarnings()
	q.Request = q.came.WithContext(audit.Again(q.Context()))
	return s.enter(q, out)
}

// enter notes the newest revision, before anything is read, and finds who asks.
func (s *Server) enter(q *Request, out *answer.Response) (err error) {
	if q.since, _, err = s.settled(q.Context()); err != nil {
		return timedOut
	}
	return s.authenticate(q, out)
}

// try serves the request once, against the state since it arrived.
func (s *Server) try(q *Request, out *answer.Response, fence storage.Revision) (*answer.Answer, error) {
	if err := s.authorizer().CheckRequest(q.Context(), &q.Route, q.who.User); err != nil {
		noSniff(out)
		return nil, err
	}
	if err := s.current(q); err != nil {
		return nil, err
	}
	if err := s.find(q); err != nil {
		return nil, err
	}
	q.Flow.Known()
	q.Target.Since = q.since
	if fence != 0 {
		q.Target.Since = min(q.since, fence)
	}
	s.mustWrite(q)
	if err := q.Flow.Before(q.Context(), "negotiate"); err != nil {
		return nil, err
	}
	return handlers[q.Handler](s, q)
}

// current waits, for a request that changes objects, until every acknowledged write is in the cache, whichever server
// of the store has written it. What a create is judged by is compared when it is stored.
func (s *Server) current(q *Request) error {
	switch q.Route.Verb {
	case "update", "patch", "delete", "deletecollection":
		return s.o.Registry.Current(q.Context())
	}
	return nil
}

// crossed reports whether a request must begin again, since the store was restored while it was served. A request
// that has written did so before the restore. A watch may have been opened after it by a client that was allowed to
// before it.
func (s *Server) crossed(q *Request, a *answer.Answer, err error) bool {
	if errors.Is(err, storage.ErrRestored) {
		return q.Context().Err() == nil
	}
	if a != nil && a.Stream != nil && !q.isWatch() || len(q.Flow.Flow.Effects) > 0 {
		return false
	}
	_, restored, failed := s.settled(q.Context())
	return failed == nil && restored > q.since
}

// settled is cache.Settled; without a cache there is nothing to restore.
func (s *Server) settled(ctx context.Context) (head, restored storage.Revision, err error) {
	if s.o.Registry.Cache == nil {
		return 0, 0, nil
	}
	return s.o.Registry.Cache.Settled(ctx)
}

// fence is the revision that a client had read when it decided on the request, 0 if it does not send one. Kubarium's
// own controllers do: a restore after it makes their decision void.
func (q *Request) fence() (storage.Revision, error) {
	text := q.Header.Get(loopback.SinceHeader)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("the header %s must be a resourceVersion, not %q", loopback.SinceHeader, text))
	}
	return storage.Revision(n), nil
}
