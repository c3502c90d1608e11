package registry

import (
	"context"
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// scaleKind is what the subresource scale speaks of, whatever kind is scaled.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// GetScale returns the scale of an object that is no older than a resourceVersion, as Get does.
func (r *Registry) GetScale(ctx context.Context, t Target, resourceVersion string) (*autoscalingv1.Scale, error) {
	found, err := r.Get(ctx, t, resourceVersion)
	if err != nil {
		return nil, err
	}
	obj, err := objects.Decode(t.Kind, found.Record())
	if err != nil {
		return nil, err
	}
	return scaleOf(t, obj)
}

// UpdateScale sets an object's replicas to those of a scale. A uid in it is that which the object must have.
func (r *Registry) UpdateScale(ctx context.Context, t Target, o WriteOptions, sent *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
	if err := matchNamespace(t, sent); err != nil {
		return nil, err
	}
	if err := matchName(t, sent); err != nil {
		return nil, err
	}
	return r.makeScale(ctx, t, o, sent.UID, func(*autoscalingv1.Scale) (*autoscalingv1.Scale, error) { return sent.DeepCopy(), nil })
}

// PatchScale sets an object's replicas to those of the scale that make returns, which gets the present one.
func (r *Registry) PatchScale(ctx context.Context, t Target, o WriteOptions, make func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error)) (*autoscalingv1.Scale, error) {
	return r.makeScale(ctx, t, o, "", make)
}

// makeScale is a change of the scale that is not an apply.
func (r *Registry) makeScale(ctx context.Context, t Target, o WriteOptions, uid types.UID, make func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error)) (*autoscalingv1.Scale, error) {
	return r.changeScale(ctx, t, o, uid, func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		live := old.DeepCopy()
		wanted, err := make(old)
		if err != nil {
			return nil, err
		}
		return r.Managers.Update(t.Kind.Scale.Row, t.Subresource, live, wanted, o.Manager).(*autoscalingv1.Scale), nil
	})
}

// changeScale sets an object's replicas; make keeps the owners of the replicas itself.
func (r *Registry) changeScale(ctx context.Context, t Target, o WriteOptions, uid types.UID, make func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error)) (*autoscalingv1.Scale, error) {
	main := t
	main.Subresource = ""
	view := func(obj runtime.Object) (runtime.Object, error) {
		scale, err := oldScaleOf(t, obj)
		if err != nil {
			return nil, err
		}
		return kinds.ToInternal(scale)
	}
	rec, _, err := r.change(ctx, edit{Target: main, WriteOptions: o, uid: uid, view: view, seen: t, make: func(old runtime.Object) (runtime.Object, error) {
		if objects.Meta(old).GetUID() == "" {
			return nil, apierrors.NewNotFound(t.resource(), t.Name)
		}
		present, err := oldScaleOf(t, old)
		if err != nil {
			return nil, err
		}
		owners := r.scaleOwners(t, old)
		if present.ManagedFields, err = owners.ToSubresource(); err != nil {
			return nil, err
		}
		wanted, err := make(present.DeepCopy())
		if err != nil {
			return nil, err
		}
		if err := r.mutateScale(ctx, question{Target: t, op: admission.Update, WriteOptions: o}, wanted, present); err != nil {
			return nil, err
		}
		obj, err := r.scaled(t, old, wanted)
		if err != nil {
			return nil, err
		}
		entries, err := owners.ToParent(wanted.ManagedFields)
		objects.Meta(obj).SetManagedFields(entries)
		return obj, err
	}})
	if err != nil {
		return nil, err
	}
	obj, err := objects.Decode(t.Kind, rec)
	if err != nil {
		return nil, err
	}
	return scaleOf(t, obj)
}

// mutateScale asks the mutating plugins about a scale, which they may change.
func (r *Registry) mutateScale(ctx context.Context, q question, wanted, present *autoscalingv1.Scale) error {
	is, err := kinds.ToInternal(wanted)
	if err != nil {
		return err
	}
	was, err := kinds.ToInternal(present)
	if err != nil {
		return err
	}
	if err := r.mutate(r.official(ctx, "update", q.Target, q.WriteOptions), q, is, was); err != nil {
		return err
	}
	return kinds.Scheme.Convert(is, wanted, nil)
}

// scaled is old with the replicas of a checked scale.
func (r *Registry) scaled(t Target, old runtime.Object, wanted *autoscalingv1.Scale) (runtime.Object, error) {
	if err := matchName(t, wanted); err != nil {
		return nil, err
	}
	if err := matchNamespace(t, wanted); err != nil {
		return nil, err
	}
	if !t.Kind.Scale.ByObject && wanted.Spec.Replicas < 0 { // of a custom resource the object that it makes is checked
		return nil, apierrors.NewInvalid(scaleKind.GroupKind(), t.Name, field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), wanted.Spec.Replicas, "must be greater than or equal to 0").WithOrigin("minimum"),
		})
	}
	if uid := objects.Meta(old).GetUID(); !t.Kind.Scale.ByObject && wanted.UID != "" && wanted.UID != uid {
		scale := t.resource()
		scale.Resource += "/scale"
		//lint:ignore ST1005 the text is kube-apiserver's
		return nil, apierrors.NewConflict(scale, t.Name, fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", wanted.UID, uid))
	}
	obj := old.DeepCopyObject()
	if err := t.Kind.Scale.Set(obj, wanted.Spec.Replicas); err != nil {
		return nil, err
	}
	if wanted.ResourceVersion != "" { // the client's own condition
		objects.Meta(obj).SetResourceVersion(wanted.ResourceVersion)
	}
	return obj, nil
}

// oldScaleOf is the view of an object that is about to be scaled.
func oldScaleOf(t Target, obj runtime.Object) (*autoscalingv1.Scale, error) {
	if t.Kind.Scale.Old == nil {
		return scaleOf(t, obj)
	}
	s, err := t.Kind.Scale.Old(obj)
	if err != nil {
		return nil, err
	}
	s.SetGroupVersionKind(scaleKind)
	return s, nil
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

// scaleOwners turns the owners of an object's replicas into owners of those in its scale, and back.
func (r *Registry) scaleOwners(t Target, obj runtime.Object) *managedfields.ScaleHandler {
	paths := managedfields.ResourcePathMappings{}
	for _, k := range r.Catalogue.Kinds() {
		if k.StorageResource() != t.Kind.StorageResource() {
			continue
		}
		paths[k.GroupVersion().String()] = nil
		if k.Scale != nil {
			paths[k.GroupVersion().String()] = replicasPath(k.Scale.SpecPath)
		}
	}
	return managedfields.NewScaleHandler(objects.Meta(obj).GetManagedFields(), t.Kind.GroupVersion(), paths)
}

// replicasPath makes a path of fields of a JSON path such as ".spec.replicas".
func replicasPath(path string) fieldpath.Path {
	var fields fieldpath.Path
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		fields = append(fields, fieldpath.PathElement{FieldName: &name})
	}
	return fields
}

// ApplyScale sets an object's replicas by an apply configuration of its scale (Server-Side Apply). The owners of the
// object's replicas own them in the scale too, so that an autoscaler conflicts with those who apply the object.
func (r *Registry) ApplyScale(ctx context.Context, t Target, p Patch, o WriteOptions) (*autoscalingv1.Scale, error) {
	if err := p.read(); err != nil {
		return nil, err
	}
	return r.changeScale(ctx, t, o, "", func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		if p.config.Unfit != nil {
			return nil, p.config.Unfit
		}
		config := p.config.Object.DeepCopy()
		named := fmt.Sprintf("%s/%s; %s", config.GetNamespace(), config.GetName(), scaleKind)
		if t.Kind.Scale.ByObject && len(old.ManagedFields) == 0 && config.GetManagedFields() == nil {
			return nil, fmt.Errorf("failed to create manager for existing fields: failed to convert live object (/; %s) to proper version: %w", scaleKind, errScaleOfCustom)
		}
		applied, err := r.Managers.Apply(t.Kind.Scale.Row, t.Subresource, old, config, o.Manager, p.Force)
		if err != nil {
			return nil, err
		}
		served, err := t.Kind.Scale.Row.Served(applied)
		if err != nil {
			return nil, err
		}
		scale := served.(*autoscalingv1.Scale)
		if t.Kind.Scale.ByObject && scale.Spec.Replicas != old.Spec.Replicas {
			return nil, fmt.Errorf("failed to convert new object (%s) to proper version: %w", named, errScaleOfCustom)
		}
		return scale, p.judge(o)
	})
}

// errScaleOfCustom is why an apply cannot change the replicas of a custom resource, in kube-apiserver's words.
var errScaleOfCustom = fmt.Errorf("request to convert CR to an invalid group/version: %s", scaleKind.GroupVersion())
