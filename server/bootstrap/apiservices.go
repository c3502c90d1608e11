package bootstrap

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"
	apiregistrationlisters "k8s.io/kube-aggregator/pkg/client/listers/apiregistration/v1"

	"kubarium/server/discovery"
)

// How discovery.Automanaged says that an APIService is kept.
const (
	onStart = "onstart" // repaired once, after a start
	always  = "true"
)

// versions are the group versions that CustomResourceDefinitions serve.
type versions struct {
	changed chan struct{}

	mu    sync.Mutex // guards what follows
	known bool
	all   []schema.GroupVersion
}

func newVersions() *versions { return &versions{changed: make(chan struct{}, 1)} }

func (v *versions) set(gvs []schema.GroupVersion) {
	v.mu.Lock()
	v.known, v.all = true, gvs
	v.mu.Unlock()
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

func (v *versions) get() (all []schema.GroupVersion, known bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.all, v.known
}

// apiServices keeps an APIService for each group version that this server serves itself.
func (b *Bootstrap) apiServices() *task {
	api, err := apiregistrationclient.NewForConfigAndClient(b.client.Config, b.client.HTTP)
	if err != nil {
		panic(err) // as in loopback.Client.Kubernetes
	}
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return api.APIServices().List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return api.APIServices().Watch(ctx, o)
		},
	}, &apiregistrationv1.APIService{}, 0, cache.Indexers{})
	r := &registrar{
		b: b, api: api.APIServices(), lister: apiregistrationlisters.NewAPIServiceLister(informer.GetIndexer()),
		synced: map[string]bool{},
	}
	return &task{
		name:   "APIServices",
		kinds:  []schema.GroupVersionResource{apiregistrationv1.SchemeGroupVersion.WithResource("apiservices")},
		watch:  []cache.SharedIndexInformer{informer},
		poke:   b.versions.changed,
		ensure: r.ensure,
	}
}

// A registrar keeps APIServices as kube-aggregator's autoregister controller does.
type registrar struct {
	b      *Bootstrap
	api    apiregistrationclient.APIServiceInterface
	lister apiregistrationlisters.APIServiceLister

	started bool
	atStart map[string]bool // those that were there at the start
	synced  map[string]bool // those that were as they should be, once
}

func (r *registrar) ensure(ctx context.Context) error {
	there, err := r.lister.List(labels.Everything())
	if err != nil {
		return err
	}
	if !r.started {
		r.started, r.atStart = true, map[string]bool{}
		for _, s := range there {
			r.atStart[s.Name] = true
		}
	}
	desired, complete := r.desired()
	names := map[string]bool{}
	for _, s := range there {
		names[s.Name] = complete || s.Labels[discovery.Automanaged] != always || desired[s.Name] != nil
	}
	for name := range desired {
		names[name] = true
	}
	maps.DeleteFunc(names, func(_ string, decided bool) bool { return !decided })
	todo := slices.Sorted(maps.Keys(names))
	if err := each(ctx, todo, func(ctx context.Context, name string) error { return r.sync(ctx, name, desired[name]) }); err != nil {
		return err
	}
	for _, name := range todo {
		r.synced[name] = true
	}
	return nil
}

// desired returns the APIServices that should be there by name. It is not complete until the custom resources
// are known.
func (r *registrar) desired() (all map[string]*apiregistrationv1.APIService, complete bool) {
	all = map[string]*apiregistrationv1.APIService{}
	custom, complete := r.b.versions.get()
	for _, gv := range custom {
		s := apiService(gv, discovery.Custom, always)
		all[s.Name] = s
	}
	for gv, p := range discovery.BuiltIn {
		if r.b.o.Serves(gv.WithResource("")) {
			s := apiService(gv, p, onStart)
			all[s.Name] = s
		}
	}
	return all, complete
}

func apiService(gv schema.GroupVersion, p discovery.Priority, kept string) *apiregistrationv1.APIService {
	return &apiregistrationv1.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: gv.Version + "." + gv.Group, Labels: map[string]string{discovery.Automanaged: kept}},
		Spec: apiregistrationv1.APIServiceSpec{
			Group: gv.Group, Version: gv.Version, GroupPriorityMinimum: p.Group, VersionPriority: p.Version,
		},
	}
}

// sync makes one APIService as desired, which is nil if there should be none. An object without the label belongs to
// others.
func (r *registrar) sync(ctx context.Context, name string, desired *apiregistrationv1.APIService) error {
	current, err := r.lister.Get(name)
	missing := apierrors.IsNotFound(err)
	once := r.synced[name]
	switch {
	case err != nil && !missing:
		return err
	case missing && desired == nil, desired != nil && desired.Labels[discovery.Automanaged] == onStart && once:
		return nil
	case missing:
		_, err := r.api.Create(ctx, desired, metav1.CreateOptions{})
		return ignore(err, apierrors.IsAlreadyExists)
	}
	kept := current.Labels[discovery.Automanaged]
	switch {
	case kept != onStart && kept != always, kept == onStart && (once || !r.atStart[name]):
		return nil
	case desired == nil:
		return ignore(r.api.Delete(ctx, name, *metav1.NewPreconditionDeleteOptions(string(current.UID))), apierrors.IsNotFound, apierrors.IsConflict)
	case reflect.DeepEqual(current.Spec, desired.Spec):
		return nil
	}
	next := current.DeepCopy()
	next.Spec = desired.Spec
	_, err = r.api.Update(ctx, next, metav1.UpdateOptions{})
	return ignore(err, apierrors.IsNotFound, apierrors.IsConflict)
}
