package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	appsinformers "k8s.io/client-go/informers/apps"
	appsv1 "k8s.io/client-go/informers/apps/v1"
	batchinformers "k8s.io/client-go/informers/batch"
	batchv1 "k8s.io/client-go/informers/batch/v1"
	coordinationinformers "k8s.io/client-go/informers/coordination"
	coordinationv1 "k8s.io/client-go/informers/coordination/v1"
	coreinformers "k8s.io/client-go/informers/core"
	corev1 "k8s.io/client-go/informers/core/v1"
	discoveryinformers "k8s.io/client-go/informers/discovery"
	discoveryv1 "k8s.io/client-go/informers/discovery/v1"
	"k8s.io/client-go/informers/internalinterfaces"
	policyinformers "k8s.io/client-go/informers/policy"
	policyv1 "k8s.io/client-go/informers/policy/v1"
	storageinformers "k8s.io/client-go/informers/storage"
	storagev1 "k8s.io/client-go/informers/storage/v1"
	"k8s.io/client-go/tools/cache"
)

// shared are the informers that the official controllers of workloads share, as in kube-controller-manager: one watch a resource.
// They begin with the first controller that asks for them. Controllers come and go, since they can be paused.
type shared struct {
	ctx     context.Context
	factory informers.SharedInformerFactory
}

// start starts the informers that were asked for since.
func (s *shared) start() { s.factory.Start(s.ctx.Done()) }

// view is what one controller sees of them.
func (s *shared) view() *view {
	return &view{SharedInformerFactory: s.factory, ready: make(chan struct{}), closed: make(chan struct{})}
}

// A view is what one controller sees of shared informers. Events wait until it is ready: an informer may run already when a
// controller is made, which takes none before it is complete. Once it is closed, no event reaches the controller any more.
type view struct {
	internalinterfaces.SharedInformerFactory
	ready, closed chan struct{}

	mu   sync.Mutex // guards undo
	undo []func()
}

// complete lets events reach the controller.
func (v *view) complete() { close(v.ready) }

func (v *view) close() {
	close(v.closed)
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, undo := range v.undo {
		undo()
	}
	v.undo = nil
}

// InformerFor returns a shared informer.
func (v *view) InformerFor(o runtime.Object, make internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	return &informer{v.SharedInformerFactory.InformerFor(o, make), v}
}

// An informer remembers the handlers of its view's controller.
type informer struct {
	cache.SharedIndexInformer
	of *view
}

func (i *informer) kept(r cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if err == nil {
		i.of.mu.Lock()
		defer i.of.mu.Unlock()
		i.of.undo = append(i.of.undo, func() { _ = i.SharedIndexInformer.RemoveEventHandler(r) })
	}
	return r, err
}

func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.kept(i.SharedIndexInformer.AddEventHandler(handler{h, i.of}))
}

func (i *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, resync time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.kept(i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(handler{h, i.of}, resync))
}

func (i *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, o cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.kept(i.SharedIndexInformer.AddEventHandlerWithOptions(handler{h, i.of}, o))
}

// A handler hands events on while its view is open, from when that is ready.
type handler struct {
	to cache.ResourceEventHandler
	of *view
}

// open waits until the view is ready, and reports whether it is open.
func (h handler) open() bool {
	select {
	case <-h.of.ready:
	case <-h.of.closed:
	}
	select {
	case <-h.of.closed:
		return false
	default:
		return true
	}
}

// OnAdd, OnUpdate and OnDelete make it a cache.ResourceEventHandler.
func (h handler) OnAdd(o any, initial bool) {
	if h.open() {
		h.to.OnAdd(o, initial)
	}
}

func (h handler) OnUpdate(before, after any) {
	if h.open() {
		h.to.OnUpdate(before, after)
	}
}

func (h handler) OnDelete(o any) {
	if h.open() {
		h.to.OnDelete(o)
	}
}

// AddIndexers adds those that no other controller, or an earlier run of this one, has added.
func (i *informer) AddIndexers(wanted cache.Indexers) error {
	i.of.mu.Lock()
	defer i.of.mu.Unlock()
	missing := cache.Indexers{}
	for name, index := range wanted {
		if _, there := i.GetIndexer().GetIndexers()[name]; !there {
			missing[name] = index
		}
	}
	return i.SharedIndexInformer.AddIndexers(missing)
}

func (v *view) apps() appsv1.Interface           { return appsinformers.New(v, "", nil).V1() }
func (v *view) batch() batchv1.Interface         { return batchinformers.New(v, "", nil).V1() }
func (v *view) core() corev1.Interface           { return coreinformers.New(v, "", nil).V1() }
func (v *view) leases() coordinationv1.Interface { return coordinationinformers.New(v, "", nil).V1() }
func (v *view) slices() discoveryv1.Interface    { return discoveryinformers.New(v, "", nil).V1() }
func (v *view) policy() policyv1.Interface       { return policyinformers.New(v, "", nil).V1() }
func (v *view) storage() storagev1.Interface     { return storageinformers.New(v, "", nil).V1() }
