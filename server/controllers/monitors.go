package controllers

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// monitors are the informers of the garbage collector, one for each resource. They keep of an object's metadata what the
// collector reads. An informer ends when its resource is no longer served, which those of a shared factory never do.
type monitors struct {
	ctx     context.Context // its end ends all informers
	client  metadata.Interface
	changed chan struct{} // a definition or an APIService has changed
	running sync.WaitGroup

	mu  sync.Mutex // guards all
	all map[schema.GroupVersionResource]*monitor
}

// A monitor is one informer.
type monitor struct {
	informers.GenericInformer
	end func() // nil before Start
}

func newMonitors(ctx context.Context, client metadata.Interface) *monitors {
	return &monitors{ctx: ctx, client: client, changed: make(chan struct{}, 1), all: map[schema.GroupVersionResource]*monitor{}}
}

// changing are the resources whose objects add and remove resources.
var changing = map[schema.GroupResource]bool{
	{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}: true,
	{Group: "apiregistration.k8s.io", Resource: "apiservices"}:             true,
}

// ForResource returns the informer of a resource.
func (m *monitors) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.all[resource]; one != nil {
		return one, nil
	}
	one := metadatainformer.NewFilteredMetadataInformer(m.client, resource, "", 0, cache.Indexers{}, nil)
	if err := one.Informer().SetTransform(brief); err != nil {
		return nil, err
	}
	if changing[resource.GroupResource()] {
		look := func(any) { m.look() }
		handler := cache.ResourceEventHandlerFuncs{AddFunc: look, UpdateFunc: func(_, _ any) { m.look() }, DeleteFunc: look}
		if _, err := one.Informer().AddEventHandler(handler); err != nil {
			return nil, err
		}
	}
	m.all[resource] = &monitor{GenericInformer: one}
	return one, nil
}

// brief drops what the collector does not read of an object's metadata.
func brief(obj any) (any, error) {
	if o, ok := obj.(*metav1.PartialObjectMetadata); ok {
		o.Labels, o.Annotations, o.ManagedFields = nil, nil, nil
	}
	return obj, nil
}

// look asks to look up what is served.
func (m *monitors) look() {
	select {
	case m.changed <- struct{}{}:
	default: // it was asked for already
	}
}

// Start starts the informers that do not run yet.
func (m *monitors) Start(<-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.all {
		if one.end == nil {
			var ctx context.Context
			ctx, one.end = context.WithCancel(m.ctx)
			m.running.Go(func() { one.Informer().RunWithContext(ctx) })
		}
	}
}

// keep ends the informers of resources that are not in served. Those of groups that could not be looked up go on.
func (m *monitors) keep(served []*metav1.APIResourceList, err error) {
	there, unread := discovery.GroupVersionResources(served)
	if unread != nil || len(there) == 0 {
		return
	}
	away, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	m.mu.Lock()
	defer m.mu.Unlock()
	for resource, one := range m.all {
		if _, ok := there[resource]; ok || away[resource.GroupVersion()] != nil {
			continue
		}
		if one.end != nil {
			one.end()
		}
		delete(m.all, resource)
	}
}
