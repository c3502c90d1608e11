package documents

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"kubarium/server/aggregate"
	"kubarium/server/discovery"
	"kubarium/server/openapi"
)

// every is how often a server is asked again, as in kube-apiserver.
const every = time.Minute

// Documents are what the servers behind APIServices publish. A nil one has none. It is safe for concurrent use.
type Documents struct {
	from   *aggregate.Aggregator
	logger *slog.Logger

	parsing   sync.Mutex // OpenAPI documents are parsed one at a time: parsed, one takes fifty times its size
	mu        sync.Mutex // guards the rest
	discovery *discovered
	published map[string]*published // by the name of an APIService
}

// New returns the Documents of the servers that an Aggregator knows. They are empty until Run.
func New(from *aggregate.Aggregator, logger *slog.Logger) *Documents {
	return &Documents{from: from, logger: logger, published: map[string]*published{}}
}

// Run follows the servers until ctx ends, and then waits for what is still being asked. Without any it asks nothing
// and keeps nothing.
func (d *Documents) Run(ctx context.Context) {
	f := &following{d: d, ctx: ctx, known: map[string]*aggregate.Service{}}
	defer f.running.Wait()
	for {
		changed := d.from.Changed()
		f.follow(d.from.Services())
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// following is one Run.
type following struct {
	d       *Documents
	ctx     context.Context
	known   map[string]*aggregate.Service // by name, as they were seen last
	running sync.WaitGroup
}

// follow takes the Services as they are now.
func (f *following) follow(services []*aggregate.Service) {
	now := map[string]*aggregate.Service{}
	for _, s := range services {
		now[s.Name] = s
	}
	for name := range f.known {
		if now[name] == nil {
			f.d.forget(name)
		}
	}
	for _, s := range services {
		if f.known[s.Name] != s {
			f.take(s)
		}
	}
	f.known = now
}

// take follows a Service that is new, or has changed.
func (f *following) take(s *aggregate.Service) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.d.discovery == nil {
		f.d.discovery = newDiscovered(f.d.logger)
		f.running.Go(func() { f.d.discovery.run(f.ctx) })
	}
	f.d.discovery.take(f.ctx, s)
	p := f.d.published[s.Name]
	if p == nil {
		ctx, stop := context.WithCancel(f.ctx)
		p = newPublished(f.d, s.Name, stop)
		f.d.published[s.Name] = p
		f.running.Go(func() { p.run(ctx) })
	}
	p.take(s)
}

// forget ends following an APIService that is gone.
func (d *Documents) forget(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.discovery.forget(name)
	d.published[name].stop()
	delete(d.published, name)
}

// Discovery lists the group versions that are elsewhere, with what is known of them. One of which nothing is known is
// stale.
func (d *Documents) Discovery() []discovery.Remote {
	if d == nil {
		return nil
	}
	services := d.from.Services()
	d.mu.Lock()
	table := d.discovery
	d.mu.Unlock()
	remotes := make([]discovery.Remote, 0, len(services))
	for _, s := range services {
		remotes = append(remotes, table.remote(s))
	}
	return remotes
}

// OpenAPI lists what is known of the servers' documents, the most important server first.
func (d *Documents) OpenAPI() []openapi.Remote {
	if d == nil {
		return nil
	}
	services := byPriority(d.from.Services())
	d.mu.Lock()
	defer d.mu.Unlock()
	var remotes []openapi.Remote
	for _, s := range services {
		if p := d.published[s.Name]; p != nil {
			if now := p.now.Load(); now != nil {
				remotes = append(remotes, *now)
			}
		}
	}
	return remotes
}

// byPriority sorts Services as kube-aggregator sorts OpenAPI documents: by the highest priority of their group, then
// by name.
func byPriority(services []*aggregate.Service) []*aggregate.Service {
	groups := map[string]int32{}
	for _, s := range services {
		groups[s.Group] = max(groups[s.Group], s.GroupPriority)
	}
	return slices.SortedFunc(slices.Values(services), func(a, b *aggregate.Service) int {
		if groups[a.Group] != groups[b.Group] {
			return int(groups[b.Group] - groups[a.Group])
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// A complaint logs why documents of a server cannot be read, once for each reason.
type complaint struct {
	logger  *slog.Logger
	what    string
	service string

	mu   sync.Mutex // guards last
	last string
}

// log logs err unless it is the reason that was logged last; nil means that the documents can be read.
func (c *complaint) log(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if text != "" && text != c.last {
		c.logger.Warn("cannot read the "+c.what+" of an aggregated server", "apiservice", c.service, "error", text)
	}
	c.last = text
}
