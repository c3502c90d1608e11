package informers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers/core"
	coreinformers "k8s.io/client-go/informers/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"kubarium/server/registry"
)

// Informers of Pods keep no objects: their listers read the cache when they are asked. Plugins look Pods up now and then, by
// name or namespace, and none follows their events; decoded, all of them would take several times what the cache holds. The
// index of such an informer is empty: an index cannot say that it could not be read.

// lazyCore is the group core with Pods that are read when they are asked for.
type lazyCore struct {
	core.Interface
	factory *Factory
}

// V1 fulfils core.Interface.
func (c lazyCore) V1() coreinformers.Interface { return lazyV1{c.Interface.V1(), c.factory} }

type lazyV1 struct {
	coreinformers.Interface
	factory *Factory
}

// Pods fulfils the interface of the version.
func (v lazyV1) Pods() coreinformers.TypedPodInformer {
	k := v.factory.kindOf(&corev1.Pod{})
	if k == nil {
		return v.Interface.Pods()
	}
	return lazyPods{v.Interface.Pods(), source{v.factory.source, k}}
}

type lazyPods struct {
	coreinformers.TypedPodInformer
	source source
}

// Lister fulfils PodInformer.
func (p lazyPods) Lister() corelisters.PodLister { return podLister{lookup{p.source, ""}} }

// A lookup reads the objects of a namespace, or of all for "". It fulfils cache.GenericLister.
type lookup struct {
	source
	namespace string
}

// ByNamespace fulfils cache.GenericLister.
func (l lookup) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return lookup{l.source, namespace}
}

// List fulfils cache.GenericLister.
func (l lookup) List(selector labels.Selector) ([]runtime.Object, error) {
	all, _, err := l.objects(context.Background(), l.namespace, selector)
	return all, err
}

// Get fulfils cache.GenericLister: without a namespace, name is NAMESPACE/NAME.
func (l lookup) Get(name string) (runtime.Object, error) {
	t := registry.Target{Kind: l.kind, Namespace: l.namespace, Name: name}
	if l.namespace == "" {
		var err error
		if t.Namespace, t.Name, err = cache.SplitMetaNamespaceKey(name); err != nil {
			return nil, err
		}
	}
	o, err := l.registry.Get(context.Background(), t, "")
	if err != nil {
		return nil, err
	}
	return l.decode(o.Record())
}

// A podLister is a lookup of Pods. It fulfils corelisters.PodLister.
type podLister struct{ lookup }

// Pods fulfils corelisters.PodLister.
func (l podLister) Pods(namespace string) corelisters.PodNamespaceLister {
	return podLister{lookup{l.source, namespace}}
}

// List fulfils corelisters.PodLister.
func (l podLister) List(selector labels.Selector) ([]*corev1.Pod, error) {
	objects, err := l.lookup.List(selector)
	all := make([]*corev1.Pod, len(objects))
	for i, o := range objects {
		all[i] = o.(*corev1.Pod)
	}
	return all, err
}

// Get fulfils corelisters.PodNamespaceLister.
func (l podLister) Get(name string) (*corev1.Pod, error) {
	o, err := l.lookup.Get(name)
	switch {
	case apierrors.IsNotFound(err): // in the words of client-go's listers
		return nil, apierrors.NewNotFound(corev1.Resource("pod"), name)
	case err != nil:
		return nil, err
	}
	return o.(*corev1.Pod), nil
}
