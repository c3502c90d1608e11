package registry

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"

	"kubarium/server/cache"
	"kubarium/server/customresource"
)

// uncached is the 429 that kube-apiserver gives to lists and watches of a custom resource while any object of it, in
// whichever namespace, is stored in a version that its definition has no more: its watch cache does not come up then.
// nil if there is no such object.
func (r *Registry) uncached(ctx context.Context, t Target) error {
	if t.Kind.Unreadable == nil {
		return nil
	}
	snap, err := r.Cache.Snapshot(ctx, t.Kind.StorageResource(), 0)
	if err != nil || !t.Kind.Unreadable() {
		return nil // what reads next meets the error as well
	}
	var bad []*cache.Object
	gone := false
	snap.Ascend("", "", func(o *cache.Object) bool {
		if o.Err != nil {
			bad = append(bad, o)
			version := (*customresource.VersionGone)(nil)
			gone = gone || errors.As(o.Err, &version)
		}
		return ctx.Err() == nil
	})
	if !gone {
		return nil
	}
	return apierrors.NewTooManyRequests("storage is (re)initializing: failed to list <unspecified>: "+unreadableList(t, bad).Error(), 1)
}

// passesCache reports whether kube-apiserver reads a list from the store itself when its watch cache is not there:
// page by page, and without selectors.
func passesCache(o metainternal.ListOptions) bool {
	return o.Limit > 0 && newMatcher(o).all()
}
