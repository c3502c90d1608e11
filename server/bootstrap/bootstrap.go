package bootstrap

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes"

	"kubarium/server/authn"
	"kubarium/server/loopback"
)

// manager is the field manager of bootstrap objects.
const manager = "kube-apiserver"

// Options say whose bootstrap objects are made.
type Options struct {
	Server loopback.Server
	// Address is where pods would find the server, as host and port; "" is Server's.
	Address string
	// ClientCA are the authorities of client certificates; nil where these are not used.
	ClientCA dynamiccertificates.CAContentProvider
	// RequestHeaders say which front proxies are believed; nil for none.
	RequestHeaders *authn.RequestHeaders
	// ServiceRange is that of the addresses of Services, and ServiceIP the first of it, which is always the API server's.
	ServiceRange, ServiceIP string
	// Servers are all servers of the store, including this one; nil for a single server.
	Servers Servers
	Serves  func(gvr schema.GroupVersionResource) bool // whether the server has this resource; with an empty Resource, any of the version
	Logger  *slog.Logger
}

// Servers are the servers of one store, each known by an address such as "10.0.0.7:6443".
type Servers interface {
	// Attend announces one more server to all of them, until ctx ends.
	Attend(ctx context.Context, address string)
	// Servers returns the addresses of all current servers.
	Servers(ctx context.Context) ([]string, error)
}

// A Bootstrap makes and keeps the bootstrap objects of one server.
type Bootstrap struct {
	o        Options
	dialer   *loopback.Dialer
	client   loopback.Client
	api      kubernetes.Interface
	done     chan struct{}
	troubles troubles
	versions *versions // of custom resources
}

// New returns a Bootstrap, which does nothing before Run.
func New(o Options) *Bootstrap {
	d := loopback.To(o.Server)
	c := d.As("bootstrap", manager)
	b := &Bootstrap{
		o: o, dialer: d, client: c, done: make(chan struct{}),
		troubles: troubles{log: o.Logger, of: map[string]bool{}}, versions: newVersions(),
	}
	return b
}

// Done is closed when each object was there once.
func (b *Bootstrap) Done() <-chan struct{} { return b.done }

// CustomVersions says which group versions CustomResourceDefinitions serve now; each gets an APIService. Until the
// first call they are unknown, and the APIServices of such versions stay as they are.
func (b *Bootstrap) CustomVersions(gvs []schema.GroupVersion) { b.versions.set(gvs) }

// Run makes all bootstrap objects and keeps them until ctx ends. At first it makes the subjects one by one, so that
// they do not delay the first clients; then each has its own loop.
func (b *Bootstrap) Run(ctx context.Context) {
	defer b.dialer.Close()
	b.api = b.client.Kubernetes()
	var running sync.WaitGroup
	var first []<-chan struct{} // closed when all of a subject is there for the first time
	made := func() func() {
		c := make(chan struct{})
		first = append(first, c)
		return sync.OnceFunc(func() { close(c) })
	}
	turn := make(chan struct{})
	close(turn)
	for _, t := range b.tasks() {
		if !b.servesAll(t.kinds) {
			continue
		}
		next := make(chan struct{})
		t.before, t.after, t.made, t.troubles = turn, sync.OnceFunc(func() { close(next) }), made(), &b.troubles
		t.others = b.o.Servers != nil
		running.Go(func() { t.run(ctx) })
		turn = next
	}
	if ip, port := b.advertised(); b.o.Servers != nil && ip != nil {
		running.Go(func() { b.o.Servers.Attend(ctx, hostPort(ip, port)) })
	}
	trusted := made()
	running.Go(func() { b.clientCA(ctx, trusted) })
	running.Go(func() {
		for _, there := range first {
			select {
			case <-there:
			case <-ctx.Done():
				return
			}
		}
		close(b.done)
	})
	running.Wait()
}

// tasks are the subjects in the order in which they are made: those that clients need first come first.
func (b *Bootstrap) tasks() []*task {
	return []*task{
		b.kubernetesService(), b.namespaces(), b.serviceRange(), b.addresses(), b.priorityClasses(), b.apiServices(), b.tokenTracking(),
		b.identity(), b.flowControl(), b.roles(),
	}
}

func (b *Bootstrap) servesAll(kinds []schema.GroupVersionResource) bool {
	return !slices.ContainsFunc(kinds, func(k schema.GroupVersionResource) bool { return !b.o.Serves(k) })
}
