package customresource

import (
	"context"
	"errors"
	"fmt"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// rules are the schema of a version compiled for checks.
type rules struct {
	structural *structuralschema.Structural
	whole      validation.SchemaValidator
	status     validation.SchemaValidator // nil where the schema says nothing of a status
	cel        *cel.Validator             // nil without x-kubernetes-validations
	measured
}

// compile makes the rules of a version.
func (v *version) compile() (*rules, error) {
	s, err := v.schema()
	if err != nil {
		return nil, err
	}
	r := &rules{measured: measure(s)}
	if r.structural, err = v.structural(); err != nil {
		return nil, err
	}
	if r.whole, _, err = validation.NewSchemaValidator(s); err != nil {
		return nil, err
	}
	if s != nil {
		if status, ok := s.Properties["status"]; ok {
			if r.status, _, err = validation.NewSchemaValidator(&status); err != nil {
				return nil, err
			}
		}
	}
	r.cel = cel.NewValidator(r.structural, true, celconfig.PerCallLimit)
	return r, nil
}

// rulesFor returns the rules by which to check an object. nil means that there is nothing more to check: the rules can not
// be made, or the object is not of the kind at all; errs says so.
func (v *version) rulesFor(u *unstructured.Unstructured) (r *rules, errs field.ErrorList) {
	r, err := v.rules()
	if err != nil {
		return nil, field.ErrorList{field.InternalError(nil, err)}
	}
	if errs := v.validateType(u); len(errs) > 0 {
		return nil, errs
	}
	return r, nil
}

// afford refuses an object that would be too much work to check.
func (v *version) afford(ctx context.Context, obj runtime.Object) error {
	u := obj.(*unstructured.Unstructured)
	r, _ := v.rulesFor(u)
	if r == nil {
		return nil // the checks tell why
	}
	schema, err := v.schema()
	if err != nil {
		return err
	}
	err = r.affordable(ctx, schema, u.Object)
	var much workError
	if errors.As(err, &much) {
		return apierrors.NewInvalid(v.row.GroupVersionKind.GroupKind(), u.GetName(), field.ErrorList{field.Forbidden(field.NewPath(much.path), much.Error())})
	}
	return err
}

// check checks an object: a new one, what one became, or only its status.
func (v *version) check(ctx context.Context, obj, old runtime.Object, status bool) field.ErrorList {
	switch {
	case old == nil:
		return v.validate(ctx, obj)
	case status:
		return v.validateStatusUpdate(ctx, obj, old)
	}
	return v.validateUpdate(ctx, obj, old)
}

// validate checks a new object.
func (v *version) validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	u := obj.(*unstructured.Unstructured)
	r, errs := v.rulesFor(u)
	if r == nil {
		return errs
	}
	errs = validation.ValidateCustomResource(nil, u.Object, r.whole)
	errs = append(errs, v.validateScale(u)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, u.Object, r.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, r.structural, u.Object)...)
	meta := apivalidation.ValidateObjectMetaAccessor(u, v.row.Namespaced, apivalidation.NameIsDNSSubdomain, metadataPath)
	return r.evaluate(ctx, meta, errs, u.Object, nil)
}

// validateUpdate checks what an object became. What was wrong before and has not changed may stay (validation
// ratcheting).
func (v *version) validateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	u, was := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	r, errs := v.rulesFor(u)
	if r == nil {
		return errs
	}
	both := r.correlate(u, was)
	errs = validation.ValidateCustomResourceUpdate(nil, u.Object, was.Object, r.whole, validation.WithRatcheting(both))
	errs = append(errs, v.validateScale(u)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, u.Object, r.structural, false)...)
	errs = append(errs, r.validateLists(u, was)...)
	return r.evaluate(ctx, changedMeta(u, was), errs, u.Object, was.Object, cel.WithRatcheting(both))
}

// validateStatusUpdate checks an object of which only the status may have changed.
func (v *version) validateStatusUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	u, was := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	r, errs := v.rulesFor(u)
	if r == nil {
		return errs
	}
	both := r.correlate(u, was)
	if status, ok := u.Object["status"]; ok {
		var o []validation.ValidationOption
		if r.structural != nil {
			o = append(o, validation.WithRatcheting(both.Key("status")))
		}
		errs = validation.ValidateCustomResourceUpdate(field.NewPath("status"), status, was.Object["status"], r.status, o...)
	}
	errs = append(errs, v.validateScaleStatus(u)...)
	errs = append(errs, r.validateLists(u, was)...)
	return r.evaluate(ctx, changedMeta(u, was), errs, u.Object, was.Object, cel.WithRatcheting(both))
}

func (r *rules) correlate(u, was *unstructured.Unstructured) *common.CorrelatedObject {
	return common.NewCorrelatedObject(u.Object, was.Object, &model.Structural{Structural: r.structural})
}

// validateLists checks that sets and maps in lists have each key once, unless that was wrong before.
func (r *rules) validateLists(u, was *unstructured.Unstructured) field.ErrorList {
	if len(listtype.ValidateListSetsAndMaps(nil, r.structural, was.Object)) > 0 {
		return nil
	}
	return listtype.ValidateListSetsAndMaps(nil, r.structural, u.Object)
}

var metadataPath = field.NewPath("metadata")

func changedMeta(u, was *unstructured.Unstructured) field.ErrorList {
	return apivalidation.ValidateObjectMetaAccessorUpdate(u, was, metadataPath)
}

// evaluate adds what the validation rules say, unless the object is so wrong that they can not be asked. meta is what is
// wrong with its metadata, which is told elsewhere.
func (r *rules) evaluate(ctx context.Context, meta, errs field.ErrorList, obj, old any, o ...cel.Option) field.ErrorList {
	if r.cel == nil {
		return errs
	}
	for _, err := range slices.Concat(meta, errs) {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
		}
	}
	broken, _ := r.cel.Validate(ctx, nil, r.structural, obj, old, celconfig.RuntimeCELCostBudget, o...)
	return append(errs, broken...)
}

// validateType checks that the object is of this kind and version.
func (v *version) validateType(u *unstructured.Unstructured) (errs field.ErrorList) {
	if want := v.row.Kind; u.GetKind() != want {
		errs = append(errs, field.Invalid(field.NewPath("kind"), u.GetKind(), fmt.Sprintf("must be %v", want)))
	}
	if want := v.row.GroupVersion().String(); u.GetAPIVersion() != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), u.GetAPIVersion(), fmt.Sprintf("must be %v", want)))
	}
	return errs
}
