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

// perform does what is asked for. Where the store is restored meanwhile it begins again: no answer is made of what was before a
// restore and what was behind it, and nothing is written behind it that was judged before.
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

// again brings a request back to where it came from route, and finds anew who asks: their account, or their right to act as somebody
// else, may have gone. What has been said of it so far, to its client and in its record, is void.
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

// try does it once, by what there is since the request came.
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

// current waits until all that anybody has been told of can be read here, where a request changes what is there: it is judged by what is newest,
// whichever server of the store has written that. What a create is judged by is compared when it is stored.
func (s *Server) current(q *Request) error {
	switch q.Route.Verb {
	case "update", "patch", "delete", "deletecollection":
		return s.o.Registry.Current(q.Context())
	}
	return nil
}

// crossed tells whether a request must begin again, since the store was restored while it was looked at. What has written already was
// before that. A watch may have been opened behind it by who was allowed to before it.
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

// fence is the revision at which a client has looked before it decided on the request, 0 if it does not tell. Controllers of
// Kubarium's own do: a restore behind it makes their decision void.
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
