package registry

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/storage"
)

// scaleKind is what the subresource scale speaks of, whatever kind is scaled.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// GetScale returns the scale of an object that is no older than a resourceVersion, as Get does.
func (r *Registry) GetScale(ctx context.Context, t Target, resourceVersion string) (*autoscalingv1.Scale, error) {
	found, err := r.Get(ctx, t, resourceVersion)
	if err != nil {
		return nil, err
	}
	obj, err := Decode(t.Kind, storage.Record{Key: found.Key, Revision: found.Revision, Value: found.Value})
	if err != nil {
		return nil, err
	}
	return scaleOf(t, obj)
}

// ChangeScale sets an object's replicas to those of the scale that make returns, which gets the present one.
func (r *Registry) ChangeScale(ctx context.Context, t Target, o WriteOptions, make func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error)) (*autoscalingv1.Scale, error) {
	return r.changeScale(ctx, t, o, func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		live := old.DeepCopy()
		wanted, err := make(old)
		if err != nil {
			return nil, err
		}
		return r.Managers.Update(scales, t.Subresource, live, wanted, o.Manager).(*autoscalingv1.Scale), nil
	})
}

// changeScale is ChangeScale for a make that keeps the owners of the replicas itself.
func (r *Registry) changeScale(ctx context.Context, t Target, o WriteOptions, make func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error)) (*autoscalingv1.Scale, error) {
	main := t
	main.Subresource = ""
	rec, _, err := r.change(ctx, edit{Target: main, WriteOptions: o, make: func(old runtime.Object) (runtime.Object, error) {
		if access(old).GetUID() == "" {
			return nil, apierrors.NewNotFound(t.resource(), t.Name)
		}
		present, err := scaleOf(t, old)
		if err != nil {
			return nil, err
		}
		owners := r.scaleOwners(t, old)
		if present.ManagedFields, err = owners.ToSubresource(); err != nil {
			return nil, err
		}
		wanted, err := make(present)
		if err != nil {
			return nil, err
		}
		obj, err := r.scaled(t, old, wanted)
		if err != nil {
			return nil, err
		}
		entries, err := owners.ToParent(wanted.ManagedFields)
		access(obj).SetManagedFields(entries)
		return obj, err
	}})
	if err != nil {
		return nil, err
	}
	obj, err := Decode(t.Kind, storage.Record{Key: rec.Key, Revision: rec.Revision, Value: rec.Value})
	if err != nil {
		return nil, err
	}
	return scaleOf(t, obj)
}

// scaled is old with the replicas of a checked scale.
func (r *Registry) scaled(t Target, old runtime.Object, wanted *autoscalingv1.Scale) (runtime.Object, error) {
	if err := matchName(t, wanted); err != nil {
		return nil, err
	}
	if err := matchNamespace(t, wanted); err != nil {
		return nil, err
	}
	if wanted.Spec.Replicas < 0 {
		return nil, apierrors.NewInvalid(scaleKind.GroupKind(), t.Name, field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), wanted.Spec.Replicas, "must be greater than or equal to 0").WithOrigin("minimum"),
		})
	}
	obj := old.DeepCopyObject()
	if err := t.Kind.Scale.Set(obj, wanted.Spec.Replicas); err != nil {
		return nil, err
	}
	if wanted.ResourceVersion != "" { // the client's own condition
		access(obj).SetResourceVersion(wanted.ResourceVersion)
	}
	return obj, nil
}

// scaleOf is the view of an object as a Scale.
func scaleOf(t Target, obj runtime.Object) (*autoscalingv1.Scale, error) {
	s, err := t.Kind.Scale.Get(obj)
	if err != nil {
		return nil, err
	}
	s.SetGroupVersionKind(scaleKind)
	return s, nil
}
