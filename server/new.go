package server

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/flow"
	"kubarium/server/aggregate"
	"kubarium/server/aggregate/documents"
	"kubarium/server/answer"
	"kubarium/server/audit"
	"kubarium/server/authn"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/features"
	"kubarium/server/gate"
	"kubarium/server/metrics"
	"kubarium/server/openapi"
	"kubarium/server/registry"
	"kubarium/server/route"
	"kubarium/server/stream"
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
	// Withheld are resources of the catalogue, which leaves them out as well, or that are not stored, which are not
	// served.
	Withheld []schema.GroupVersionResource
	// Authn says who asks; nil makes one that knows the tokens of ServiceAccounts, by a key that ends with the process.
	Authn *authn.Station
	// Aggregator knows the APIServices that lead to other servers; nil knows none.
	Aggregator *aggregate.Aggregator
	// Documents are what those servers say of themselves; nil has nothing of theirs.
	Documents *documents.Documents
	// Gate does to requests what fault rules say; nil for none.
	Gate *gate.Gate
	// Audit is the audit log; nil keeps none.
	Audit *audit.Log
	// Ready reports why the server is not ready; nil means that it is once it listens.
	Ready func() error
}

// A Server answers the Kubernetes API over HTTP.
type Server struct {
	o         Options
	served    *route.Served
	metrics   *metrics.Metrics
	documents *openapi.Documents
	budget    *budget.Budget
	answers   *answer.Writer
	streams   *stream.Streams
	inFlight  atomic.Int64
	watches   atomic.Int64
	proxied   atomic.Int64    // of inFlight, those that wait for aggregated servers
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
	if o.Authn == nil {
		o.Authn = ownAuthn(o.Registry)
	}
	s := &Server{o: o, budget: cmp.Or(o.Registry.Budget, budget.New())}
	s.answers = &answer.Writer{Budget: s.budget, Logger: o.Logger}
	s.served = &route.Served{Catalogue: o.Registry.Catalogue, Withheld: o.Withheld, Lists: o.Aggregator.Lists}
	s.metrics = metrics.New(metrics.Sources{
		InFlight: s.inFlight.Load, Watches: s.watches.Load, Features: o.Features, Log: o.Log.Stats,
		Cache: func() cache.Stats { return o.Registry.Cache.Stats() },
	}, o.Now())
	s.documents = openapi.New(s.served.GroupVersions(), s.o.Withheld...)
	s.documents.Extras, s.documents.Remotes = s.customDocuments, o.Documents.OpenAPI
	s.documents.Failed = func(r openapi.Remote, err error) { o.Logger.Warn("openapi", "apiservice", r.Name, "error", err) }
	s.closing, s.closeAll = context.WithCancel(context.Background())
	s.streams = &stream.Streams{Answers: s.answers, Log: o.Log, Now: o.Now, Closing: s.closing, MinWatch: o.MinWatch, BookmarkEvery: o.BookmarkEvery, Gate: o.Gate}
	return s
}

// EndWatches ends all open watches at once, and those that come later.
func (s *Server) EndWatches() { s.closeAll() }
