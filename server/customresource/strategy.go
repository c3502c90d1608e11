package customresource

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/server/kinds"
)

// An officialStrategy is that of a custom resource as apiextensions exports it.
type officialStrategy interface {
	kinds.Strategy
	GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set
}

// A strategy is the official one, with its validators made when an object is first checked, and with a look at what the
// check costs in front of it.
type strategy struct {
	officialStrategy
	ready func(ctx context.Context, obj runtime.Object) (kinds.Strategy, field.ErrorList)
}

// Validate fulfils rest.RESTCreateStrategy.
func (s strategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	checks, errs := s.ready(ctx, obj)
	if checks == nil {
		return errs
	}
	return checks.Validate(ctx, obj)
}

// ValidateUpdate fulfils rest.RESTUpdateStrategy.
func (s strategy) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	checks, errs := s.ready(ctx, obj)
	if checks == nil {
		return errs
	}
	return checks.ValidateUpdate(ctx, obj, old)
}

// strategies makes those of the main resource and of the subresource status. The second is nil where there is no such
// subresource.
func (v *version) strategies(row *kinds.Kind) (kinds.Strategy, rest.RESTUpdateStrategy) {
	main, status := v.official(row, &rules{})
	checked := sync.OnceValues(func() ([2]kinds.Strategy, error) {
		r, err := v.rules()
		if err != nil {
			return [2]kinds.Strategy{}, err
		}
		main, status := v.official(row, r)
		return [2]kinds.Strategy{main, status}, nil
	})
	behind := func(which int) func(context.Context, runtime.Object) (kinds.Strategy, field.ErrorList) {
		return func(ctx context.Context, obj runtime.Object) (kinds.Strategy, field.ErrorList) {
			all, err := checked()
			if err != nil {
				return nil, field.ErrorList{field.InternalError(nil, err)}
			}
			if bad := v.afford(ctx, obj.(*unstructured.Unstructured)); bad != nil {
				return nil, field.ErrorList{bad}
			}
			return all[which], nil
		}
	}
	if v.Subresources == nil || v.Subresources.Status == nil {
		return strategy{main, behind(0)}, nil
	}
	return strategy{main, behind(0)}, strategy{status, behind(1)}
}

// official makes the two official strategies with the validators of r. Those without can do everything but check. Selectable
// fields are left out, as they are looked up without a strategy, for all versions at once.
func (v *version) official(row *kinds.Kind, r *rules) (main, status officialStrategy) {
	var withStatus *apiextensions.CustomResourceSubresourceStatus
	var withScale *apiextensions.CustomResourceSubresourceScale
	if s := v.Subresources; s != nil && s.Status != nil {
		withStatus = &apiextensions.CustomResourceSubresourceStatus{}
	}
	if s := v.Subresources; s != nil && s.Scale != nil {
		withScale = internalScale(s.Scale)
	}
	s := customresource.NewStrategy(unstructuredscheme.NewUnstructuredObjectTyper(), row.Namespaced, row.GroupVersionKind,
		r.whole, r.status, r.structural, withStatus, withScale, nil)
	return s, customresource.NewStatusStrategy(s)
}

func internalScale(s *apiextensionsv1.CustomResourceSubresourceScale) *apiextensions.CustomResourceSubresourceScale {
	return &apiextensions.CustomResourceSubresourceScale{
		SpecReplicasPath: s.SpecReplicasPath, StatusReplicasPath: s.StatusReplicasPath, LabelSelectorPath: s.LabelSelectorPath,
	}
}

// afford returns why an object cannot be checked: it would take too long, or ctx has ended. An object of another kind
// passes, since the check refuses it.
func (v *version) afford(ctx context.Context, u *unstructured.Unstructured) *field.Error {
	if u.GroupVersionKind() != v.row.GroupVersionKind {
		return nil
	}
	r, err := v.rules()
	if err != nil {
		return field.InternalError(nil, err)
	}
	schema, err := v.schema()
	if err != nil {
		return field.InternalError(nil, err)
	}
	err = r.affordable(ctx, schema, u.Object)
	var much workError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &much):
		return field.Forbidden(field.NewPath(much.path), much.Error())
	}
	return field.InternalError(nil, err)
}
