// Package server is HTTP, and nothing but HTTP: it turns a request into a Request, follows it along one line through
// filters, route, authorize, negotiate and decode to the registry, and writes the answer. What a verb does to an object
// is in package registry; what a body means is in package codecs.
//
// A Request is one struct handed along that line. Each station leaves its mark on the request's flow. One place,
// respond.go, writes answers and turns errors into a Status.
package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/authn"
	"kubarium/server/features"
	"kubarium/server/flow"
	"kubarium/server/openapi"
	"kubarium/server/registry"
)

// Options are what a Server needs.
type Options struct {
	Registry *registry.Registry
	Log      *flow.Log
	Logger   *slog.Logger // for internal errors; nil drops them
	Now      func() time.Time
	// MaxInFlight is the most requests served at once, watches not counted; 0 means 400, kube-apiserver's default for
	// reading requests. One more is answered 429.
	MaxInFlight int
	// MaxWatches is the most watches open at once; 0 means 10,000.
	MaxWatches int
	// RequestTimeout ends a request that is not a watch; 0 means 34 s, as in kube-apiserver.
	RequestTimeout time.Duration
	// MinWatch is the least time after which a watch without timeoutSeconds is ended; the time is between it and its
	// double. 0 means 30 minutes, kube-apiserver's default.
	MinWatch time.Duration
	// BookmarkEvery is how often a watch that allows bookmarks gets one. 0 means a minute, as in kube-apiserver.
	BookmarkEvery time.Duration
	// Debug are handlers under /debug/ by their path, such as "/debug/compact".
	Debug map[string]http.Handler
	// Features are the feature gates; the zero value has all of them at their defaults.
	Features features.Gates
	// Withheld are resources of the catalogue, which leaves them out as well, or that are not stored, which are not served.
	Withheld []schema.GroupVersionResource
	// Authn says who asks; nil makes one that knows the tokens of ServiceAccounts, by a key that ends with the process.
	Authn *authn.Station
	// Ready reports why the server is not ready; nil means that it is once it listens.
	Ready func() error
}

// A Server answers the Kubernetes API over HTTP.
type Server struct {
	o         Options
	metrics   *metrics
	documents *openapi.Documents
	budget    *budget
	inFlight  atomic.Int64
	watches   atomic.Int64
	closing   context.Context // ends when open watches must
	closeAll  context.CancelFunc
}

// New returns a Server; it listens to nothing itself.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxInFlight == 0 {
		o.MaxInFlight = 400
	}
	if o.MaxWatches == 0 {
		o.MaxWatches = 10_000
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = 34 * time.Second
	}
	if o.MinWatch == 0 {
		o.MinWatch = 30 * time.Minute
	}
	if o.BookmarkEvery == 0 {
		o.BookmarkEvery = bookmarkEvery
	}
	if o.Authn == nil {
		o.Authn = ownAuthn(o.Registry)
	}
	s := &Server{o: o, budget: newBudget()}
	s.metrics = newMetrics(s)
	s.documents = openapi.New(s.groupVersions(), s.o.Withheld...)
	s.documents.Extras = s.customDocuments
	s.closing, s.closeAll = context.WithCancel(context.Background())
	return s
}

// EndWatches ends all open watches at once, and those that come later.
func (s *Server) EndWatches() { s.closeAll() }

// A Request is one HTTP request on its way along the line.
type Request struct {
	*http.Request
	Route
	Flow   *flow.Recorder
	Query  url.Values
	Target registry.Target
	Media  codecs.Media // the form of the answer

	who authn.Identity

	noTable  bool // the endpoint has no columns to show its answer in
	features features.Gates
	routed   bool // a handler was found

	conn     *http.ResponseController // for the deadlines of its connection
	budget   *budget
	ends     []func() // what gives back its part of the budget
	warnings []string
}

// warn adds a warning for the client, sent as a Warning header.
func (q *Request) warn(text string) { q.warnings = append(q.warnings, text) }

// ServeHTTP is the line that every request follows.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := s.o.Log.Begin(s.o.Now)
	q := &Request{Request: r.WithContext(flow.With(r.Context(), rec)), Flow: rec, conn: http.NewResponseController(w), budget: s.budget, features: s.o.Features}
	s.describe(q)
	out := &response{ResponseWriter: w, flow: rec}
	defer s.finish(q, out)
	defer s.recover(q, out)

	rec.Enter("filters")
	err := s.filter(q)
	if err == nil {
		err = s.authenticate(q, out)
	}
	rec.Leave(asker(q.who, err), err)
	if err != nil {
		s.fail(out, q, err)
		return
	}
	rec.Enter("route")
	handle, err := s.route(q)
	q.routed = err == nil
	rec.Leave(q.Route.String(), err)
	s.describeTarget(q)
	timeout, bad := q.timeout(s.o.RequestTimeout)
	if bad != nil && !q.isWatch() {
		err = bad // kube-apiserver reads it before it knows what is asked for
	}
	if err != nil {
		s.fail(out, q, err)
		return
	}
	release, err := s.admitInFlight(q)
	if err != nil {
		s.fail(out, q, err)
		return
	}
	defer release()
	s.authorize(q)
	_ = q.conn.SetWriteDeadline(time.Now().Add(s.o.RequestTimeout + slowWrite)) // a watch moves it on with each frame
	if !q.isWatch() {
		ctx, cancel := context.WithTimeout(q.Context(), timeout)
		defer cancel()
		q.Request = q.WithContext(ctx)
	}
	answer, err := q.handle(handle)
	if err == nil && q.timedOut() && answer.stream == nil {
		err = q.Context().Err()
	}
	if err != nil {
		s.fail(out, q, err)
		return
	}
	s.respond(out, q, answer)
}

// handle runs the handler, and gives back at its end what it has taken of the budget.
func (q *Request) handle(h handler) (*answer, error) {
	defer q.settle()
	return h(q)
}

// recover turns a panic into a 500, a marked flow and a running server.
func (s *Server) recover(q *Request, out *response) {
	v := recover()
	if v == nil || v == http.ErrAbortHandler {
		return
	}
	stack := debug.Stack()
	q.Flow.Flow.Panic = fmt.Sprintf("%v\n%s", v, stack)
	s.o.Logger.Error("panic", "method", q.Method, "path", q.URL.Path, "value", v, "stack", string(stack))
	s.metrics.panics.Inc()
	if out.code == 0 {
		s.fail(out, q, apierrors.NewInternalError(fmt.Errorf("this request caused apiserver to panic. Look in the logs for details")))
	}
}

// finish publishes the flow.
func (s *Server) finish(q *Request, out *response) {
	f := &q.Flow.Flow
	f.Status = out.code
	f.ResponseHeader = out.Header()
	f.ResponseBody = out.body()
	phase := flow.Whole
	if f.Watch != nil {
		phase = flow.WatchClosed
	}
	q.Flow.Publish(phase)
	s.metrics.observe(q, out)
}

// authorize lets everything pass, as mode AlwaysAllow does.
func (s *Server) authorize(q *Request) {
	q.Flow.Enter("authorize")
	q.Flow.Leave("AlwaysAllow", nil)
}

// describe notes what the request line and the headers say.
func (s *Server) describe(q *Request) {
	f, r := &q.Flow.Flow, q.Request
	f.Method, f.Path, f.Query, f.Proto = r.Method, r.URL.Path, r.URL.RawQuery, r.Proto
	f.RequestHeader = r.Header
	f.Client = flow.Client{
		UserAgent: r.UserAgent(), Remote: r.RemoteAddr,
		Session: r.Header.Get("Kubectl-Session"), Command: r.Header.Get("Kubectl-Command"),
	}
	f.Client.Tag = s.o.Log.Tag(f.Client.UserAgent, f.Client.Session)
}

// describeTarget notes what the route found.
func (s *Server) describeTarget(q *Request) {
	t := q.Route
	q.Flow.Flow.Target = flow.Target{
		Verb: t.Verb, Group: t.Group, Version: t.Version, Resource: t.Resource,
		Subresource: t.Subresource, Namespace: t.Namespace, Name: t.Name,
	}
}
