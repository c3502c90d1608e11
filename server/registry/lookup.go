package registry

import (
	"context"
	"errors"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/cache"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// latest reads the newest version; a nil object means that there is none.
func (r *Registry) latest(ctx context.Context, t Target) (runtime.Object, storage.Record, error) {
	found, _, err := r.Cache.Get(ctx, t.key(), 0)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, storage.Record{}, nil
	}
	if err != nil {
		return nil, storage.Record{}, interpret(err, t)
	}
	rec := found.Record()
	obj, err := r.hot.decode(t.Kind, rec)
	return obj, rec, err
}

// lookUp reads an object of a built-in kind as it is now, in its served form.
func (r *Registry) lookUp(ctx context.Context, resource, namespace, name string) (metav1.Object, error) {
	t := Target{Kind: r.Catalogue.Stored(resource), Namespace: namespace, Name: name}
	found, _, err := r.Cache.Get(ctx, t.key(), 0)
	if err != nil {
		return nil, interpret(err, t)
	}
	obj, err := objects.DecodeServed(t.Kind, found.Record())
	if err != nil {
		return nil, err
	}
	return objects.Meta(obj), nil
}

// servedObjects are the objects of a built-in kind whose keys begin with prefix, as they are now, in their served
// form and of their Go type. One that no longer decodes comes as its error.
func servedObjects[T runtime.Object](ctx context.Context, r *Registry, resource, prefix string) (iter.Seq2[T, error], error) {
	snap, err := r.Cache.Snapshot(ctx, resource, 0)
	if err != nil {
		return nil, err
	}
	k := r.Catalogue.Stored(resource)
	return func(yield func(T, error) bool) {
		snap.Ascend(prefix, "", func(o *cache.Object) bool {
			obj, err := objects.DecodeServed(k, o.Record())
			if err != nil {
				var none T
				return yield(none, err)
			}
			return yield(obj.(T), nil)
		})
	}, nil
}

// Any reports whether a namespace has an object of a built-in resource now; true where that cannot be found out.
func (r *Registry) Any(ctx context.Context, resource, namespace string) bool {
	found, err := r.Cache.Any(ctx, resource, namespace+"/")
	return found || err != nil
}

// allServed reads the objects of a built-in kind whose keys begin with prefix. One that no longer decodes fails it,
// as a list.
func allServed[T runtime.Object](ctx context.Context, r *Registry, resource, prefix string) ([]T, error) {
	objects, err := servedObjects[T](ctx, r, resource, prefix)
	if err != nil {
		return nil, err
	}
	var all []T
	for obj, err := range objects {
		if err != nil {
			return all, err
		}
		all = append(all, obj)
	}
	return all, nil
}

// Index looks into a stored value for what the cache keeps next to it.
func (r *Registry) Index(resource string, rec storage.Record, s *storage.Summary) cache.Indexed {
	k := r.Catalogue.Stored(resource)
	x, read := objects.Index(k, rec, s)
	if s != nil { // it was written just now
		r.hot.keep(k, rec, read)
	}
	return x
}
