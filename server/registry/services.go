package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"kubarium/server/cache"
	"kubarium/server/storage"
)

// Services returns all Services, for the allocator of their addresses; those that no longer decode hold none.
func (r *Registry) Services(ctx context.Context) ([]*corev1.Service, error) {
	snap, err := r.Cache.Snapshot(ctx, "services", 0)
	if err != nil {
		return nil, err
	}
	k := r.Catalogue.Stored("services")
	var all []*corev1.Service
	snap.Ascend("", "", func(o *cache.Object) bool {
		obj, err := DecodeServed(k, storage.Record{Key: o.Key, Revision: o.Revision, Value: o.Value})
		if err == nil {
			all = append(all, obj.(*corev1.Service))
		}
		return true
	})
	return all, nil
}
