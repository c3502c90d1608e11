package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Finalize replaces a namespace but for its status: it is the update that may change spec.finalizers. With the last one of
// them gone, a namespace that is being deleted is removed, whatever is left in it: to look is for the controller whose
// finalizer it was.
func (r *Registry) Finalize(ctx context.Context, t Target, sent *corev1.Namespace, o WriteOptions) (storage.Record, error) {
	rec, _, err := r.Update(ctx, t, sent, o)
	return rec, err
}

// validateFinalize checks the finalizers that a finalize leaves, and names each by its place, as no other update does.
func validateFinalize(obj runtime.Object) (errs field.ErrorList) {
	path := field.NewPath("spec", "finalizers")
	for i, name := range obj.(*corev1.Namespace).Spec.Finalizers {
		errs = append(errs, validation.ValidateFinalizerName(string(name), path.Index(i))...)
		errs = append(errs, kinds.ValidateFinalizerDomain(string(name), path.Index(i))...)
	}
	return errs
}
