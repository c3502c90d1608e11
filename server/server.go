package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/answer"
	"kubarium/server/audit"
	"kubarium/server/gate"
	"kubarium/server/metrics"
	"kubarium/server/route"
)

// ServeHTTP serves a request of a port that is open to all.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, "") }

// Via is the server on another port: the records of its requests say by which they came.
func (s *Server) Via(port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, port) })
}

// serve is the line that every request follows.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, via string) {
	rec := s.o.Log.Begin(s.o.Now)
	q := &Request{Flow: rec, out: answer.Begun(w, rec), share: s.budget.Share()}
	q.Client = answer.Client{Request: r, Features: s.o.Features}
	out := &q.out
	ctx := s.o.Audit.Begin(r.Context(), r, out.Header())
	s.describe(q, via)
	defer s.finish(q, out)
	defer s.recover(q, out)

	rec.Enter("filters")
	err := s.filter(q)
	rec.Leave("", err)
	if err == nil {
		err = s.route(ctx, q, out)
		defer q.time.end()
	}
	if err == nil {
		q.came = q.Request
		err = s.enter(q, out)
	}
	if err != nil {
		s.fail(out, q, err)
		return
	}
	if err := s.admitInFlight(q); err != nil {
		s.fail(out, q, err)
		return
	}
	defer q.leaveLine()
	a, err := s.perform(q, out)
	a, err = s.passAnswer(q, a, err)
	if err != nil {
		s.fail(out, q, err)
		return
	}
	s.answers.Respond(out, &q.Client, a)
}

// route reads what is asked for, and gives the request the context in which that is done until q.time ends: its time
// limit counts from now on. Malformed requests are refused here, before authentication.
func (s *Server) route(ctx context.Context, q *Request, out *answer.Response) error {
	q.Flow.Enter("route")
	q.Route = route.Read(q.Method, q.URL.Path, q.Query)
	q.Flow.Flow.Target = q.Route.Target()
	timeout, err := q.readTimeout(s.o.RequestTimeout)
	if err == nil && !s.isLong(q) {
		ctx = s.timed(ctx, q, timeout)
	} else {
		ctx = flow.With(ctx, q.Flow)
	}
	s.o.Gate.Pass(q.Flow, atGate{s, q})
	q.Request = q.WithContext(ctx)
	if unreadable := q.Route.Check(q.URL); unreadable != nil {
		q.Flow.Leave("", unreadable)
		return plainError{unreadable}
	}
	q.Flow.Leave(q.Route.String(), err)
	if err != nil {
		return cmp.Or(s.auditRefused(q, out, err.Error()), err)
	}
	return nil
}

// fail answers with an error.
func (s *Server) fail(out *answer.Response, q *Request, err error) {
	var plain plainError
	switch {
	case errors.Is(err, gate.ErrCut):
		q.Flow.Flow.Message = err.Error()
		panic(http.ErrAbortHandler)
	case out.Code != 0: // the answer has begun
	case errors.As(err, &plain):
		s.answers.FailPlain(out, &q.Client, http.StatusInternalServerError, metav1.StatusReasonInternalError, plain.text(q.Request))
	case errors.Is(err, route.ErrNoPath):
		out.Header().Set("Cache-Control", "no-cache, private")
		s.answers.FailPlain(out, &q.Client, http.StatusNotFound, metav1.StatusReasonNotFound, "404 page not found")
	default:
		if codecs.Unroutable(err) {
			q.ForgetWarnings() // they are the endpoint's
		}
		s.answers.Fail(out, &q.Client, err)
	}
}

// recover turns a panic into a 500, a marked flow and a running server. Where the answer has begun, it cuts the
// connection.
func (s *Server) recover(q *Request, out *answer.Response) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		q.out.Audit.Panic(v)
		panic(v)
	}
	stack := debug.Stack()
	q.Flow.Flow.Panic = fmt.Sprintf("%v\n%s", v, stack)
	q.out.Audit.Panic(v)
	s.o.Logger.Error("panic", "method", q.Method, "path", q.URL.Path, "value", v, "stack", string(stack))
	s.metrics.Panicked()
	if out.Code != 0 { // net/http cuts the connection: the client does not take half an answer for a whole one
		panic(http.ErrAbortHandler)
	}
	h := out.Header() // of the answer that did not begin
	h.Del("Content-Encoding")
	h.Del("Content-Length")
	err := errors.New("this request caused apiserver to panic. Look in the logs for details")
	s.fail(out, q, apierrors.NewInternalError(err))
}

// finish publishes the flow.
func (s *Server) finish(q *Request, out *answer.Response) {
	q.out.Audit.Complete()
	f := &q.Flow.Flow
	q.Flow.Annotate(audit.Annotations(q.Context()))
	f.Status = out.Code
	f.ResponseHeader = out.Header()
	f.ResponseBody = out.Body()
	phase := flow.Whole
	if f.Watch != nil {
		phase = flow.WatchClosed
	}
	q.Flow.Publish(phase)
	if f.Target.Resource != "" && q.Handler != 0 && (q.elsewhere == nil || elsewhereServed(f)) {
		s.metrics.Observe(f.Target, metrics.Answered{DryRun: q.Query.Get("dryRun"), Code: out.Code, Size: out.Size, Took: q.Flow.Elapsed()})
	}
}

// describe notes what the request line and the headers say.
func (s *Server) describe(q *Request, via string) {
	f, r := &q.Flow.Flow, q.Request
	f.Method, f.Path, f.Query, f.Proto = r.Method, r.URL.Path, r.URL.RawQuery, r.Proto
	f.RequestHeader = r.Header
	f.Client = flow.Client{
		UserAgent: r.UserAgent(), Remote: r.RemoteAddr,
		Session: r.Header.Get("Kubectl-Session"), Command: r.Header.Get("Kubectl-Command"), Via: via,
	}
	f.Client.Tag = s.o.Log.Tag(f.Client)
}
