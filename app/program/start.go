package program

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/analysis/chain"
	"kubarium/app/cli"
	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server"
	"kubarium/server/bootstrap"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/managers"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

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
	p.why = chain.Follow(p.Log)
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
	p.controllers.Go(func() { p.why.Run(background) })
	p.controllers.Go(func() { p.documents.Run(background) })
	p.controllers.Go(func() { p.bootstrap.Run(background) })
	p.controllers.Go(func() { p.availability(background) })
	p.controllers.Go(func() { p.runLoops(background, c) })
	if c.EventTTL > 0 && p.api.Serves(corev1.SchemeGroupVersion.WithResource("events")) {
		p.controllers.Go(func() { p.expireEvents(background, c.EventTTL) })
	}
	if p.file != nil {
		p.controllers.Go(func() { p.snapshots.markStart(background, p.Bootstrapped()) })
	}
	p.announce()
	return p, nil
}

// catalogue says which built-in kinds are served, and which are withheld. Feature gates, which are of the process,
// are set with it.
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
