package informers

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/cache"

	"kubarium/server/registry"
)

// lazy is an informer that keeps no objects: what is looked up is read then. Plugins look pods up now and then, by name or
// namespace, and nobody waits for their events; decoded, all of them would take several times what the cache holds.
type lazy struct {
	cache.SharedIndexInformer // of nothing, for what an informer must do besides
	index                     lookup
}

func newLazy(s source) lazy {
	empty := cache.NewSharedIndexInformer(nothing{}, s.kind.New(), 0, cache.Indexers{})
	return lazy{empty, lookup{empty.GetIndexer(), s}}
}

// GetIndexer fulfils cache.SharedIndexInformer.
func (l lazy) GetIndexer() cache.Indexer { return l.index }

// GetStore fulfils cache.SharedIndexInformer.
func (l lazy) GetStore() cache.Store { return l.index }

// lookup is an indexer whose reads go to the cache.
type lookup struct {
	cache.Indexer
	source
}

// List returns all objects.
func (l lookup) List() []any { return l.in("") }

// Index fulfils cache.Indexer for the index by namespace, the only one.
func (l lookup) Index(_ string, obj any) ([]any, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	return l.in(m.GetNamespace()), nil
}

// ByIndex fulfils cache.Indexer likewise.
func (l lookup) ByIndex(_, namespace string) ([]any, error) { return l.in(namespace), nil }

// in returns the objects of a namespace, or of all.
func (l lookup) in(namespace string) []any {
	objects, _, err := l.objects(context.Background(), namespace)
	if err != nil {
		return nil
	}
	all := make([]any, len(objects))
	for i, obj := range objects {
		all[i] = obj
	}
	return all
}

// GetByKey fulfils cache.Store.
func (l lookup) GetByKey(key string) (any, bool, error) {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil, false, err
	}
	o, err := l.registry.Get(context.Background(), registry.Target{Kind: l.kind, Namespace: namespace, Name: name}, "")
	if err != nil {
		return nil, false, nil
	}
	obj, err := l.decode(o.Record())
	return obj, err == nil, err
}

// Get fulfils cache.Store.
func (l lookup) Get(obj any) (any, bool, error) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		return nil, false, err
	}
	return l.GetByKey(key)
}
