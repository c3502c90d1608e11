package registry

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	apioperation "k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"

	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// official is ctx as strategies expect it.
func (r *Registry) official(ctx context.Context, verb string, t Target, o WriteOptions) context.Context {
	return kinds.Context(ctx, r.attributes(verb, t, o))
}

// attributes describe a request to official code.
func (r *Registry) attributes(verb string, t Target, o WriteOptions) kinds.Attributes {
	return kinds.Attributes{
		Kind: t.Kind, Verb: verb, Subresource: t.Subresource, Namespace: t.Namespace, Name: t.Name,
		User: o.who(), Warn: o.Warn, GetNamespace: r.namespace, Get: r.clusterWide, Authorizer: r.authorizer(), Resource: r.resourceOf,
	}
}

// clusterWide reads an object of a built-in kind that lives in no namespace.
func (r *Registry) clusterWide(ctx context.Context, resource, name string) (runtime.Object, error) {
	t := Target{Kind: r.Catalogue.Stored(resource), Name: name}
	obj, _, err := r.latest(ctx, t)
	if err == nil && obj == nil {
		err = apierrors.NewNotFound(t.resource(), name)
	}
	return obj, err
}

// resourceOf finds the plural of a kind among what discovery lists.
func (r *Registry) resourceOf(of schema.GroupVersionKind) (schema.GroupVersionResource, error) {
	for _, k := range r.Catalogue.Kinds() {
		if k.GroupVersionKind == of {
			return k.GroupVersion().WithResource(k.Resource), nil
		}
	}
	return schema.GroupVersionResource{}, &meta.NoKindMatchError{GroupKind: of.GroupKind(), SearchedVersions: []string{of.Version}}
}

// namespace reads a namespace as it is now, for strategies that ask about it.
func (r *Registry) namespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	m, err := r.lookUp(ctx, namespaces, "", name)
	if err != nil {
		return nil, err
	}
	return m.(*corev1.Namespace), nil
}

// beforeCreate prepares and checks a new object (apiserver, rest.BeforeCreate).
func beforeCreate(ctx context.Context, t Target, obj runtime.Object, o WriteOptions) error {
	s := t.Kind.Strategy
	s.PrepareForCreate(ctx, obj)
	err := validated(ctx, t, s, obj, func() field.ErrorList { return validateCreate(ctx, obj, s) })
	if err != nil {
		return err
	}
	for _, text := range s.WarningsOnCreate(ctx, obj) {
		o.warn(text)
	}
	s.Canonicalize(obj)
	return nil
}

// beforeUpdate lets through what the resource or subresource of the update is for, and checks what the object became
// (apiserver, rest.BeforeUpdate).
func beforeUpdate(ctx context.Context, t Target, obj, old runtime.Object, o WriteOptions) error {
	s := t.strategy()
	objects.Meta(obj).SetGeneration(objects.Meta(old).GetGeneration())
	s.PrepareForUpdate(ctx, obj, old)
	keepSystemFields(objects.Meta(obj), objects.Meta(old))
	err := validated(ctx, t, s, obj, func() field.ErrorList { return validateUpdate(ctx, obj, old, s) })
	if err != nil {
		return err
	}
	for _, text := range s.WarningsOnUpdate(ctx, obj, old) {
		o.warn(text)
	}
	s.Canonicalize(obj)
	return nil
}

// validated is the station of the checks: what they find is one 422. It names the kind as the strategy does: an Event
// of events.k8s.io is one of the core group there, and a custom resource is of the kind that it says, which may be
// wrong.
func validated(ctx context.Context, t Target, typer runtime.ObjectTyper, obj runtime.Object, check func() field.ErrorList) error {
	return station(ctx, "validate", t.Kind.Kind, func() error {
		var errs field.ErrorList
		if t.Kind.Bound != nil && t.Subresource != "status" { // which leaves the lists alone
			errs = t.Kind.Bound(obj)
		}
		if len(errs) == 0 {
			errs = check()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(errs) == 0 {
			return nil
		}
		return apierrors.NewInvalid(kindOf(typer, obj), objects.Meta(obj).GetName(), firstFaults(errs))
	})
}

// validateCreate checks a new object: by its kind's rules, if they find nothing by those of metadata, and by the
// declared ones, which take the place of others (apiserver, rest.ValidateCreate). Declared faults are compared with
// each of the others: where there are more than the answer lists they are left out.
func validateCreate(ctx context.Context, obj runtime.Object, s rest.RESTCreateStrategy) field.ErrorList {
	errs := s.Validate(ctx, obj)
	if len(errs) == 0 {
		errs = validation.ValidateObjectMetaAccessor(objects.Meta(obj), s.NamespaceScoped(), pathSegment, metadataPath)
	}
	return validateDeclared(ctx, s, obj, nil, errs, apioperation.Create)
}

// validateUpdate checks what an object became, and what it may not have changed (apiserver, rest.ValidateUpdate).
func validateUpdate(ctx context.Context, obj, old runtime.Object, s rest.RESTUpdateStrategy) field.ErrorList {
	errs := validation.ValidateObjectMetaAccessor(objects.Meta(obj), s.NamespaceScoped(), pathSegment, metadataPath)
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(objects.Meta(obj), objects.Meta(old), metadataPath)...)
	errs = append(errs, s.ValidateUpdate(ctx, obj, old)...)
	return validateDeclared(ctx, s, obj, old, errs, apioperation.Update)
}

// validateDeclared adds what the declared rules find to what the others found, or lets it take its place. Most
// objects have no faults: that is found out first, without the copies in which official code looks for them.
func validateDeclared(ctx context.Context, s any, obj, old runtime.Object, errs field.ErrorList, op apioperation.Type) field.ErrorList {
	d, ok := s.(rest.DeclarativeValidationStrategy)
	if !ok || len(errs) > maxFaults {
		return errs
	}
	config := d.DeclarativeValidationConfig(ctx, obj, old)
	if len(errs) == 0 && kinds.AsDeclared(ctx, obj, old, config) {
		return nil
	}
	return d.ValidateDeclaratively(ctx, obj, old, errs, op, config)
}

var metadataPath = field.NewPath("metadata")

// pathSegment is the check of names that all kinds share.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// kindOf is what a strategy calls the kind of an object.
func kindOf(typer runtime.ObjectTyper, obj runtime.Object) schema.GroupKind {
	gvks, _, err := typer.ObjectKinds(obj)
	if err != nil || len(gvks) == 0 {
		return obj.GetObjectKind().GroupVersionKind().GroupKind()
	}
	return gvks[0].GroupKind()
}

// maxFaults is how many faults of an object an answer lists. Each occurs twice, as a cause and in the message, which
// is copied for each; a body of empty containers has a hundred thousand.
const maxFaults = 200

// firstFaults are the faults that are listed, with one more that says how many there are.
func firstFaults(errs field.ErrorList) field.ErrorList {
	if len(errs) <= maxFaults {
		return errs
	}
	return append(slices.Clip(errs[:maxFaults]), &field.Error{
		Type: field.ErrorTypeTooMany, BadValue: len(errs), Detail: fmt.Sprintf("of all faults the first %d are told", maxFaults),
	})
}
