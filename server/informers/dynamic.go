package informers

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"kubarium/server/registry"
)

// Dynamic returns a client that lists and watches custom resources out of the cache, as their informers do over all
// namespaces. Other requests go to next.
func Dynamic(next dynamic.Interface, r *registry.Registry) dynamic.Interface {
	return dynamicSource{next, r}
}

type dynamicSource struct {
	dynamic.Interface
	registry *registry.Registry
}

// Resource fulfils dynamic.Interface.
func (d dynamicSource) Resource(r schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return custom{d.Interface.Resource(r), d.registry, r}
}

// IsWatchListSemanticsUnSupported makes informers list before they watch: a watch here has no initial events.
func (d dynamicSource) IsWatchListSemanticsUnSupported() bool { return true }

// custom is one resource. Its definition may come, change and go.
type custom struct {
	dynamic.NamespaceableResourceInterface
	registry *registry.Registry
	resource schema.GroupVersionResource
}

// source is where the objects come from; false says that it is no custom resource that is served now.
func (c custom) source() (source, bool) {
	k := c.registry.Catalogue.Kind(c.resource)
	return source{c.registry, k}, k != nil && k.Dynamic
}

// Namespace fulfils dynamic.NamespaceableResourceInterface.
func (c custom) Namespace(name string) dynamic.ResourceInterface {
	if name == metav1.NamespaceAll {
		return c
	}
	return c.NamespaceableResourceInterface.Namespace(name)
}

// List fulfils dynamic.ResourceInterface.
func (c custom) List(ctx context.Context, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	s, ok := c.source()
	if !ok {
		return c.NamespaceableResourceInterface.List(ctx, o)
	}
	all, err := s.ListWithContext(ctx, o)
	if err != nil {
		return nil, err
	}
	return all.(*unstructured.UnstructuredList), nil
}

// Watch fulfils dynamic.ResourceInterface.
func (c custom) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	s, ok := c.source()
	if !ok {
		return c.NamespaceableResourceInterface.Watch(ctx, o)
	}
	return s.WatchWithContext(ctx, o)
}
