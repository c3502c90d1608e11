package registry

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/storage"
)

// Finalize replaces the spec.finalizers of a namespace, which nothing else may change; with the last one of them gone,
// a namespace that is being deleted is removed, if it is empty.
func (r *Registry) Finalize(ctx context.Context, t Target, sent *corev1.Namespace, o WriteOptions) (storage.Record, error) {
	if err := matchName(t, sent); err != nil {
		return storage.Record{}, err
	}
	rec, _, err := r.change(ctx, edit{Target: t, WriteOptions: o, uid: sent.UID, make: func(old runtime.Object) (runtime.Object, error) {
		if access(old).GetUID() == "" {
			return nil, apierrors.NewNotFound(t.resource(), t.Name)
		}
		served, err := t.Kind.Served(old.DeepCopyObject())
		if err != nil {
			return nil, err
		}
		ns := served.(*corev1.Namespace)
		ns.Spec.Finalizers = sent.Spec.Finalizers
		ns.ResourceVersion = sent.ResourceVersion
		next, err := t.Kind.Internal(ns)
		if err != nil {
			return nil, err
		}
		return r.Managers.Update(t.Kind, "finalize", old, next, o.Manager), nil
	}})
	return rec, err
}
