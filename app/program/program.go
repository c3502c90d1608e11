// Package program is a whole Kubarium without its command line and its UI: store, server, guards, controllers, and one stack of
// closers that ends them. It is what commands and tests start.
//
// A Config says what is served and from where, and declares the flags for that. A Program does not know who shows it.
package program

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/app/cli"
	"kubarium/app/record"
	"kubarium/codecs"
	"kubarium/etcdstore"
	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/aggregate/documents"
	"kubarium/server/audit"
	"kubarium/server/bootstrap"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/gate"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// A Program is a whole Kubarium without its terminal UI: the store, the API server on its port, and the controllers.
type Program struct {
	URL    string    // "http://127.0.0.1:8080", or as Secure where there is no plain port
	Secure string    // "https://127.0.0.1:6443"; "" for no HTTPS
	CA     []byte    // the certificate by which that of HTTPS is checked, as text; nil for no HTTPS
	DB     string    // path of the database
	Log    *flow.Log // what every request did

	config      Config
	store       storage.Engine
	file        *sqlitestore.Store // the store, where it is a database file; otherwise nil
	shared      *etcdstore.Store   // the store, where it is an etcd cluster, which other servers may use too; otherwise nil
	cluster     *cluster           // that of shared
	health      chan struct{}      // the store has become well, or unwell; one who listens is told
	snapshots   snapshots
	forks       forks
	loops       loops
	registry    *registry.Registry
	cache       *cache.Cache
	api         *server.Server
	servers     []*http.Server
	silent      silent
	listeners   listeners
	credentials *credentials
	certificate *certificate
	frontProxy  *frontProxy
	logger      *slog.Logger
	bootstrap   *bootstrap.Bootstrap
	controllers sync.WaitGroup
	guards      *guards
	documents   *documents.Documents // of aggregated servers
	audit       *audit.Log
	id          string // of this run
	feed        record.Feed
	recorder    *record.Recorder // nil for none
	drain       time.Duration
	withheld    []schema.GroupVersionResource
	gate        *gate.Gate
	stop        context.CancelFunc
	served      chan error // what each HTTP server ended with
	closers     closers
	closing     sync.Once
	ended       error // what Close says
}

var definitions = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")

// defaultDrain is how long requests under way may take to finish when a Program closes.
const defaultDrain = 5 * time.Second

// Start opens the database, listens and serves. The error is for a person, in one line. Close ends what it started.
func Start(ctx context.Context, c Config, logger *slog.Logger) (*Program, error) {
	QuietLibraries() // before the checks, which ask them
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.Record.orFolder(c.origin != nil); err != nil {
		return nil, cli.Misuse(err)
	}
	if err := c.Faults.orEnvironment(c.origin != nil); err != nil {
		return nil, cli.Misuse(err)
	}
	return start(ctx, c, logger)
}

// A step is one part of a start. It pushes to closers the end of what it has begun.
type step struct {
	name string
	do   func() error
}

// errFailed is the error of a step that a test lets fail.
var errFailed = errors.New("this step fails")

// start is Start of a configuration that makes sense.
func start(ctx context.Context, c Config, logger *slog.Logger) (*Program, error) {
	QuietLibraries()
	catalogue, withheld, err := c.catalogue(logger)
	if err != nil {
		return nil, err
	}
	if err := enoughFiles(); err != nil {
		return nil, err
	}
	p := &Program{withheld: withheld, DB: c.DB, Log: flow.NewLog(c.Flows), logger: logger, drain: cmp.Or(c.Drain, defaultDrain)}
	background := p.background()
	for _, s := range []step{
		{"ports", func() error { return p.listen(c) }},
		{"cluster", func() error { return p.reach(ctx, &c) }},
		{"files", func() error { return p.read(c) }},
		{"store", func() error { return p.openStore(ctx, c) }},
		{"cache", func() error { return p.open(c, catalogue) }},
		{"objects", func() error { return p.begin(ctx, c) }},
		{"recording", func() error { return p.record(ctx, c.Record) }},
		{"gate", func() error { return p.openGate(c.Faults) }},
		{"guards", func() error { return p.guard(background, c) }},
		{"requests", func() error { return p.serve(background) }},
	} {
		err := s.do()
		if err == nil && s.name == c.failAfter {
			err = errFailed
		}
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	p.closers.push(p.forks.close)
	if c.past {
		return p, nil
	}
	self := p.self()
	o := bootstrap.Options{Server: self, Address: p.address(c.Advertise), ClientCA: p.certificate.clientCA, RequestHeaders: p.frontProxy.believe,
		ServiceRange: c.Services.String(), ServiceIP: c.Services.First(), Serves: p.api.Serves, Logger: logger}
	if p.shared != nil {
		o.Servers = p.shared
	}
	p.bootstrap = bootstrap.New(o)
	if !p.api.Serves(definitions) {
		p.bootstrap.CustomVersions(nil)
	}
	p.controllers.Go(func() { p.documents.Run(background) })
	p.controllers.Go(func() { p.bootstrap.Run(background) })
	p.controllers.Go(func() { p.availability(background) })
	p.controllers.Go(func() { p.runLoops(background, c.Controllers) })
	if p.file != nil {
		p.controllers.Go(func() { p.snapshots.markStart(background, p.Bootstrapped()) })
	}
	p.announce()
	return p, nil
}

// catalogue says which built-in kinds are served, and which are withheld. Feature gates, which are of the process, are set with it.
func (c *Config) catalogue(logger *slog.Logger) (*catalogue.Catalogue, []schema.GroupVersionResource, error) {
	if err := c.Features.Settle(); err != nil {
		return nil, nil, cli.Misuse(err)
	}
	catalogue := catalogue.New(kinds.BuiltIn()...)
	withheld, warning, err := c.APIs.Withheld(server.Resources(catalogue), kinds.Scheme)
	if err != nil {
		return nil, nil, cli.Misuse(err)
	}
	if warning != "" {
		logger.Warn(warning)
	}
	catalogue.Withhold(withheld)
	return catalogue, withheld, nil
}

// open joins store, cache and registry.
func (p *Program) open(c Config, catalogue *catalogue.Catalogue) (err error) {
	p.snapshots = snapshots{logger: p.logger, file: p.file, started: make(chan struct{})}
	newest, compacted := p.store.Head()
	p.Log.SetHead(int64(newest), int64(compacted))
	r := &registry.Registry{Catalogue: catalogue, Store: p.store, Managers: managers.New(codecs.Scheme()), Now: time.Now, Budget: budget.New(), EndpointsOnly: c.FrontProxy.Routing}
	r.Allocators = map[string]kinds.Allocator{"services": kinds.NewServiceAllocator(kinds.Services{
		List: r.Services, Restored: func() storage.Revision { return r.Cache.Restored() }, Head: func() storage.Revision { return r.Cache.Head() },
	}).In(c.Services)}
	p.cache, err = cache.New(p.store, cache.Options{Index: r.Index, Upcoming: r.Follow, Committed: p.committed, Settle: p.settled})
	if err != nil {
		return err
	}
	p.closers.push(func() error { p.cache.Close(); return nil })
	r.Cache = p.cache
	p.registry = r
	if c.past {
		r.Dial = refuse
	}
	return nil
}

// begin reads the definitions of custom resources, and makes what must be there before the port answers.
func (p *Program) begin(ctx context.Context, c Config) error {
	if p.registry.Catalogue.Kind(definitions) != nil {
		if err := p.registry.LoadDefinitions(ctx); err != nil {
			return err
		}
	}
	if c.past {
		return nil
	}
	return seed(ctx, p.registry, c.Modes)
}

// committed puts each change of the store on the flow log's timeline.
func (p *Program) committed(b storage.Batch) {
	commits := make([]flow.Commit, len(b.Changes))
	for i, c := range b.Changes {
		ns, name := c.Key.Split()
		commits[i] = flow.Commit{
			Revision: int64(c.Revision), Type: flow.ChangeType(c.Type), Resource: c.Key.Resource,
			Namespace: ns, Name: name, At: c.At, Outside: c.Outside,
		}
	}
	p.Log.Committed(commits...)
	p.feed.Committed(b)
	p.restored(b)
}

// compacted notes which revisions can no longer be read.
func (p *Program) compacted(readable storage.Revision) { p.Log.SetHead(0, int64(readable)) }

// background is the life of what runs next to the server.
func (p *Program) background() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	p.stop = cancel
	p.closers.push(func() error { cancel(); return nil })
	return ctx
}

// Flows is Log, for who knows a Program by an interface.
func (p *Program) Flows() *flow.Log { return p.Log }

// Store keeps the objects.
func (p *Program) Store() storage.Engine { return p.store }

// CacheHead is the revision that the cache has reached.
func (p *Program) CacheHead() storage.Revision { return p.cache.Head() }

// Gate has the fault rules, and the requests that they hold.
func (p *Program) Gate() *gate.Gate { return p.gate }

// Bootstrapped is closed when the objects that every cluster has from its start are there.
func (p *Program) Bootstrapped() <-chan struct{} { return p.bootstrap.Done() }

// Close ends the Program: watches at once, other requests when they are done or after a while. A second Close waits for the
// first, and says the same.
func (p *Program) Close() error {
	p.closing.Do(func() { p.ended = p.closers.close() })
	return p.ended
}

// finish ends watches and controllers at once, and other requests when they are done or after a while.
func (p *Program) finish() error {
	p.stop()
	p.gate.Close()
	ctx, cancel := context.WithTimeout(context.Background(), p.drain)
	defer cancel()
	p.loops.resigned(ctx)
	p.api.EndWatches()
	p.silent.close()
	defer p.controllers.Wait()
	return p.shutdown(ctx)
}
