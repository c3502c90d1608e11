package aggregate

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/tools/cache"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// A Resolver finds the server behind a Service. It is the one of webhooks.
type Resolver interface {
	ResolveEndpoint(namespace, name string, port int32) (*url.URL, error)
}

// Options say how servers are found and how Kubarium proves to them that it is who asks.
type Options struct {
	// APIServices is the informer of APIServices. It must not run yet.
	APIServices cache.SharedIndexInformer
	Resolver    Resolver
	// ClientCert is the certificate and key of the front proxy as they are now; nil means that there are none.
	ClientCert func() (cert, key []byte)
	// RejectRedirects answers 502 where a server wants to send the client elsewhere.
	RejectRedirects bool
}

// An Aggregator knows the APIServices that lead elsewhere. It is safe for concurrent use; a nil one knows none.
type Aggregator struct {
	o Options

	mu       sync.RWMutex                             // guards the rest
	all      map[string]*apiregistrationv1.APIService // those of all servers, as the informer last had them
	services map[string]*Service
	changed  chan struct{}
}

// New returns an Aggregator that follows its informer once that runs.
func New(o Options) (*Aggregator, error) {
	a := &Aggregator{o: o, all: map[string]*apiregistrationv1.APIService{}, services: map[string]*Service{}, changed: make(chan struct{})}
	_, err := o.APIServices.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { a.set(obj.(*apiregistrationv1.APIService)) },
		UpdateFunc: func(_, obj any) { a.set(obj.(*apiregistrationv1.APIService)) },
		DeleteFunc: a.forget,
	})
	return a, err
}

// Services are the APIServices that lead elsewhere, by their names.
func (a *Aggregator) Services() []*Service {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	all := make([]*Service, 0, len(a.services))
	for _, s := range a.services {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Service) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Changed returns a channel that is closed when Services have changed since the call. A caller that follows them
// takes the channel before it looks.
func (a *Aggregator) Changed() <-chan struct{} {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.changed
}

// Find returns the Service that answers for a path, nil if Kubarium does itself. The path is one of a group version,
// or leads on from it.
func (a *Aggregator) Find(path string) *Service {
	if a == nil {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if len(a.services) == 0 {
		return nil // without making a name for each request
	}
	if name, ok := nameFor(path); ok {
		return a.services[name]
	}
	return nil
}

// legacy is the APIService of everything under /api.
const legacy = "v1."

// nameFor is the name of the APIService that says who answers for a path: /api[/…] or /apis/GROUP/VERSION[/…].
func nameFor(path string) (string, bool) {
	if path == "/api" || strings.HasPrefix(path, "/api/") {
		return legacy, true
	}
	rest, ok := strings.CutPrefix(path, "/apis/")
	if !ok {
		return "", false
	}
	group, rest, _ := strings.Cut(rest, "/")
	version, _, _ := strings.Cut(rest, "/")
	return version + "." + group, group != "" && version != ""
}

// set takes an APIService as it is now.
func (a *Aggregator) set(o *apiregistrationv1.APIService) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[o.Name] = o
	before := a.services[o.Name]
	if !leadsElsewhere(o) {
		if before != nil {
			delete(a.services, o.Name)
			a.poke()
		}
		return
	}
	a.services[o.Name] = a.newService(o)
	a.poke()
}

// forget takes an APIService that is gone.
func (a *Aggregator) forget(obj any) {
	name, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil { // it is what informers give to every handler
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, name)
	if a.services[name] != nil {
		delete(a.services, name)
		a.poke()
	}
}

// poke wakes the followers; the lock is held.
func (a *Aggregator) poke() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// Renew reads the certificate of the front proxy again, which has changed.
func (a *Aggregator) Renew() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, s := range a.services {
		a.services[name] = a.newService(s.APIService)
	}
}
