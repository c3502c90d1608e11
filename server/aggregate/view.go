package aggregate

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	coreinformers "k8s.io/client-go/informers/core/v1"
	discoveryinformers "k8s.io/client-go/informers/discovery/v1"
	"k8s.io/client-go/tools/cache"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	listers "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"
)

// A view is the informer of APIServices as the official controllers need it: it repeats all objects after a while,
// and it hides those at URLs, which they would take for local ones.
type view struct {
	lasting
	ctx context.Context // ends the repetition
}

// Informer fulfils the interface of a typed informer.
func (v *view) Informer() cache.SharedIndexInformer { return v }

// Lister fulfils the interface of a typed informer.
func (v *view) Lister() listers.APIServiceLister {
	return masked{listers.NewAPIServiceLister(v.GetIndexer())}
}

// AddEventHandlerWithResyncPeriod fulfils cache.SharedInformer. Kubarium's informers never lag and repeat nothing;
// this does.
func (v *view) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, every time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := v.AddEventHandler(h)
	if err == nil && every > 0 {
		go v.repeat(h, every)
	}
	return registration, err
}

func (v *view) repeat(h cache.ResourceEventHandler, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-v.ctx.Done():
			return
		case <-tick.C:
			for _, obj := range v.GetStore().List() {
				if leadsElsewhere(obj.(*apiregistrationv1.APIService)) {
					h.OnUpdate(obj, obj)
				}
			}
		}
	}
}

// masked is a lister that has no APIServices at URLs.
type masked struct{ listers.APIServiceLister }

// Get fulfils listers.APIServiceLister.
func (m masked) Get(name string) (*apiregistrationv1.APIService, error) {
	o, err := m.APIServiceLister.Get(name)
	if err == nil && o.Annotations[URLAnnotation] != "" {
		return nil, apierrors.NewNotFound(apiregistrationv1.Resource("apiservices"), name)
	}
	return o, err
}

// lasting is an informer that takes handlers also when it has ended, and then never calls them: official controllers
// do not check whether it took them.
type lasting struct{ cache.SharedIndexInformer }

// AddEventHandler fulfils cache.SharedInformer.
func (l lasting) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := l.SharedIndexInformer.AddEventHandler(h)
	if err != nil {
		return never{}, nil
	}
	return registration, nil
}

// never is the registration of a handler that is never called.
type never struct{}

func (never) HasSynced() bool                     { return false }
func (never) HasSyncedChecker() cache.DoneChecker { return never{} }
func (never) Name() string                        { return "an informer that has ended" }
func (never) Done() <-chan struct{}               { return nil }

type serviceView struct {
	coreinformers.ServiceInformer
	informer cache.SharedIndexInformer
}

func (v serviceView) Informer() cache.SharedIndexInformer { return v.informer }

type sliceView struct {
	discoveryinformers.EndpointSliceInformer
	informer cache.SharedIndexInformer
}

func (v sliceView) Informer() cache.SharedIndexInformer { return v.informer }
