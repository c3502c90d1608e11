package registry

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// allocate fills what is unique in the cluster.
func (r *Registry) allocate(ctx context.Context, k *kinds.Kind, obj, old runtime.Object) (kinds.Allocation, error) {
	if a := r.Allocators[k.StorageResource()]; a != nil {
		return a.Allocate(ctx, obj, old)
	}
	return kinds.Allocation{}, nil
}

// poolTaken says whether a write failed because another server of the store has taken from the same pool since.
func poolTaken(err error, w storage.Write) bool {
	var key *storage.KeyError
	return w.Pool != "" && errors.Is(err, storage.ErrConflict) && errors.As(err, &key) && key.Key == storage.Key{Resource: w.Pool}
}
