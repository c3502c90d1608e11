// Package server is HTTP, and nothing but HTTP: it turns a request into a Request, follows it along one line through
// filters, route, authorize, negotiate and decode to the registry, and writes the answer. What a verb does to an object
// is in package registry; what a body means is in package codecs.
//
// A Request is one struct handed along that line. Each station leaves its mark on the request's flow. One place,
// respond.go, writes answers and turns errors into a Status.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/answer"
	"kubarium/server/budget"
	"kubarium/server/features"
	"kubarium/server/flow"
	"kubarium/server/openapi"
	"kubarium/server/registry"
	"kubarium/server/route"
	"kubarium/server/stream"
	"kubarium/server/tokens"
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
	// Ready reports why the server is not ready; nil means that it is once it listens.
	Ready func() error
}

// A Server answers the Kubernetes API over HTTP.
type Server struct {
	o         Options
	served    *route.Served
	metrics   *metrics
	documents *openapi.Documents
	tokens    *tokens.Issuer
	budget    *budget.Budget
	answers   *answer.Writer
	streams   *stream.Streams
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
		o.BookmarkEvery = time.Minute
	}
	s := &Server{o: o, tokens: tokens.New(), budget: budget.New()}
	s.answers = &answer.Writer{Budget: s.budget, Logger: o.Logger}
	s.served = &route.Served{Catalogue: o.Registry.Catalogue, Withheld: o.Withheld, Debug: o.Debug}
	s.metrics = newMetrics(s)
	s.documents = openapi.New(s.served.GroupVersions(), s.o.Withheld...)
	s.documents.Extras = s.customDocuments
	s.closing, s.closeAll = context.WithCancel(context.Background())
	s.streams = &stream.Streams{Answers: s.answers, Log: o.Log, Now: o.Now, Closing: s.closing, MinWatch: o.MinWatch, BookmarkEvery: o.BookmarkEvery}
	return s
}

// EndWatches ends all open watches at once, and those that come later.
func (s *Server) EndWatches() { s.closeAll() }

// ServeHTTP is the line that every request follows.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := s.o.Log.Begin(s.o.Now)
	out := answer.NewResponse(w, rec)
	q := &Request{conn: out.Conn, share: s.budget.Share()}
	q.Client = answer.Client{Request: r.WithContext(flow.With(r.Context(), rec)), Flow: rec, Features: s.o.Features}
	s.describe(q)
	defer s.finish(q, out)
	defer s.recover(q, out)

	rec.Enter("filters")
	err := s.filter(q)
	rec.Leave("", err)
	if err != nil {
		s.fail(out, q, err)
		return
	}
	rec.Enter("route")
	q.Route = route.Read(q.Method, q.URL.Path, q.Query)
	rec.Flow.Target = q.Route.Target()
	rec.Leave(q.Route.String(), nil)
	timeout, err := q.timeout(s.o.RequestTimeout)
	if err != nil && !q.isWatch() { // kube-apiserver reads it before it knows what is asked for
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
	if err := s.find(q); err != nil {
		s.fail(out, q, err)
		return
	}
	_ = q.conn.SetWriteDeadline(time.Now().Add(s.o.RequestTimeout + stream.SlowWrite)) // a watch moves it on with each frame
	if !q.isWatch() {
		ctx, cancel := context.WithTimeout(q.Context(), timeout)
		defer cancel()
		q.Request = q.WithContext(ctx)
	}
	a, err := s.handle(q)
	if err != nil {
		s.fail(out, q, err)
		return
	}
	s.answers.Respond(out, &q.Client, a)
}

// find finds what serves the request. It comes behind authorize: who may not ask does not learn what there is.
func (s *Server) find(q *Request) (err error) {
	q.Endpoint, err = s.served.Find(q.Route)
	for _, text := range q.Warnings {
		q.Warn(text)
	}
	if err != nil { // the route was read, and leads nowhere
		q.Flow.Enter("route")
		q.Flow.Leave("", err)
		return err
	}
	if q.Verb == "patch" && strings.HasPrefix(q.Header.Get("Content-Type"), "application/apply-patch") {
		q.Verb = "apply" // for people; to an authorizer both are a patch
	}
	t := &q.Flow.Flow.Target
	t.Verb, t.Name = q.Verb, q.Target.Name
	if q.Target.Kind == nil {
		t.Group, t.Version = q.GroupVersion.Group, q.GroupVersion.Version
	}
	return nil
}

// fail answers with an error.
func (s *Server) fail(out *answer.Response, q *Request, err error) {
	switch {
	case out.Code != 0: // the answer has begun
	case errors.Is(err, route.ErrNoPath):
		s.answers.FailPlain(out, &q.Client, http.StatusNotFound, metav1.StatusReasonNotFound, "404 page not found")
	default:
		s.answers.Fail(out, &q.Client, err)
	}
}

// recover turns a panic into a 500, a marked flow and a running server.
func (s *Server) recover(q *Request, out *answer.Response) {
	v := recover()
	if v == nil || v == http.ErrAbortHandler {
		return
	}
	stack := debug.Stack()
	q.Flow.Flow.Panic = fmt.Sprintf("%v\n%s", v, stack)
	s.o.Logger.Error("panic", "method", q.Method, "path", q.URL.Path, "value", v, "stack", string(stack))
	s.metrics.panics.Inc()
	if out.Code == 0 {
		s.fail(out, q, apierrors.NewInternalError(fmt.Errorf("this request caused apiserver to panic. Look in the logs for details")))
	}
}

// finish publishes the flow.
func (s *Server) finish(q *Request, out *answer.Response) {
	f := &q.Flow.Flow
	f.Status = out.Code
	f.ResponseHeader = out.Header()
	f.ResponseBody = out.Body()
	phase := flow.Whole
	if f.Watch != nil {
		phase = flow.WatchClosed
	}
	q.Flow.Publish(phase)
	s.metrics.observe(q, out)
}

// authorize states who asks. Everything is allowed in mode AlwaysAllow, to one identity.
func (s *Server) authorize(q *Request) {
	q.Flow.Enter("authorize")
	q.Flow.Flow.Client.User = identity
	q.Flow.Leave("AlwaysAllow", nil)
}

// identity is who every request comes from; its groups are system:masters and system:authenticated.
const identity = "system:admin"

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
