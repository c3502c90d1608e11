package informers

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/tools/cache"

	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// A Factory fulfils informers.SharedInformerFactory for the built-in kinds.
type Factory struct {
	groups // the official ways to name an informer, each of which ends in InformerFor
	source *registry.Registry
	logger *slog.Logger

	mu      sync.Mutex // guards the rest
	made    map[reflect.Type]cache.SharedIndexInformer
	started map[reflect.Type]bool
	running sync.WaitGroup
}

var _ informers.SharedInformerFactory = &Factory{}

// New returns a factory whose informers see the objects of a registry. Objects that cannot be read are logged.
func New(r *registry.Registry, logger *slog.Logger) *Factory {
	f := &Factory{source: r, logger: logger, made: map[reflect.Type]cache.SharedIndexInformer{}, started: map[reflect.Type]bool{}}
	f.groups = groups{f}
	return f
}

// InformerFor fulfils informers.SharedInformerFactory. Of a kind that is not stored here its informer finds nothing.
func (f *Factory) InformerFor(obj runtime.Object, _ internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := reflect.TypeOf(obj)
	if have := f.made[t]; have != nil {
		return have
	}
	f.made[t] = f.make(obj)
	return f.made[t]
}

func (f *Factory) make(obj runtime.Object) cache.SharedIndexInformer {
	var objects cache.ListerWatcher = nothing{}
	k := f.kindOf(obj)
	_, lazy := obj.(*corev1.Pod)
	stored := k != nil && !lazy
	if stored {
		objects = source{f.source, k}
	}
	made := cache.NewSharedIndexInformer(objects, obj, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if !stored {
		return made
	}
	_ = made.SetWatchErrorHandlerWithContext(f.unread(k)) // an informer that runs already refuses it
	return newTold(made, k.StorageResource())
}

// unread returns what logs why an informer cannot read its kind: each reason once, as the informer tries again and again.
func (f *Factory) unread(k *kinds.Kind) cache.WatchErrorHandlerWithContext {
	last := ""
	return func(ctx context.Context, _ *cache.Reflector, err error) {
		if ctx.Err() != nil || err == io.EOF || apierrors.IsResourceExpired(err) || err.Error() == last {
			return
		}
		last = err.Error()
		f.logger.Error("plugins and authorizers do not see changes", "resource", k.StorageResource(), "error", err)
	}
}

// kindOf is the row of a Go type, nil if there is none.
func (f *Factory) kindOf(obj runtime.Object) *kinds.Kind {
	gvks, _, err := kinds.Scheme.ObjectKinds(obj)
	if err != nil {
		return nil
	}
	return f.source.Catalogue.Of(gvks[0])
}

// InformerName fulfils informers.SharedInformerFactory: no metrics are kept of these informers.
func (f *Factory) InformerName() *cache.InformerName { return nil }

// ForResource fulfils informers.SharedInformerFactory. It knows built-in resources.
func (f *Factory) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	k := f.source.Catalogue.Kind(resource)
	if k == nil || k.Dynamic {
		return nil, fmt.Errorf("no informer found for %v", resource)
	}
	obj := k.New()
	g := generic{f.InformerFor(obj, nil), resource.GroupResource(), nil}
	if _, lazy := obj.(*corev1.Pod); lazy {
		g.lazy = lookup{source{f.source, k}, ""}
	}
	return g, nil
}

// generic fulfils informers.GenericInformer.
type generic struct {
	informer cache.SharedIndexInformer
	resource schema.GroupResource
	lazy     cache.GenericLister // nil for an informer that keeps its objects
}

func (g generic) Informer() cache.SharedIndexInformer { return g.informer }
func (g generic) Lister() cache.GenericLister {
	if g.lazy != nil {
		return g.lazy
	}
	return cache.NewGenericLister(g.informer.GetIndexer(), g.resource)
}

// Start fulfils informers.SharedInformerFactory.
func (f *Factory) Start(stop <-chan struct{}) { f.StartWithContext(wait.ContextForChannel(stop)) }

// StartWithContext runs the informers that have been asked for since the last call.
func (f *Factory) StartWithContext(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t, informer := range f.made {
		if !f.started[t] {
			f.started[t] = true
			f.running.Go(func() { informer.RunWithContext(ctx) })
		}
	}
}

// Shutdown waits until all informers have ended, which they do with the context that they were started with.
func (f *Factory) Shutdown() { f.running.Wait() }

// WaitForCacheSync fulfils informers.SharedInformerFactory.
func (f *Factory) WaitForCacheSync(stop <-chan struct{}) map[reflect.Type]bool {
	return f.WaitForCacheSyncWithContext(wait.ContextForChannel(stop)).Synced
}

// WaitForCacheSyncWithContext waits until each informer that runs has seen what there is.
func (f *Factory) WaitForCacheSyncWithContext(ctx context.Context) cache.SyncResult {
	result := cache.SyncResult{Synced: map[reflect.Type]bool{}}
	for t, informer := range f.begun() {
		cache.WaitFor(ctx, "", informer.HasSyncedChecker())
		result.Synced[t] = informer.HasSynced()
		if !informer.HasSynced() {
			result.Err = context.Cause(ctx)
		}
	}
	return result
}

func (f *Factory) begun() map[reflect.Type]cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[reflect.Type]cache.SharedIndexInformer{}
	for t := range f.started {
		all[t] = f.made[t]
	}
	return all
}
