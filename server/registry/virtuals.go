package registry

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Virtuals lists them in no particular order. The rows are the same at each call.
var Virtuals = sync.OnceValue(func() []*Virtual {
	return slices.Concat(accessReviews(), identityReviews(), []*Virtual{bindings()})
})

// FindVirtual returns the one that a path names by group, version and plural, or nil.
func FindVirtual(gvr schema.GroupVersionResource) *Virtual {
	i := slices.IndexFunc(Virtuals(), func(v *Virtual) bool { return v.GroupVersion().WithResource(v.Resource) == gvr })
	if i < 0 {
		return nil
	}
	return Virtuals()[i]
}

// bindings is the row of Binding, the older way to give a pod its node; the newer is the pod's subresource binding.
func bindings() *Virtual {
	return &Virtual{
		Kind:   bindingKind,
		admits: true,
		answer: func(ctx context.Context, r *Registry, q Question) (runtime.Object, error) {
			b := q.Object.(*corev1.Binding)
			return success(), r.Bind(ctx, q.Target, b, q.WriteOptions)
		},
	}
}
