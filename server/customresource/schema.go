package customresource

import (
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
)

// A version is one version of a kind, with its schema in several forms, each made on first use.
type version struct {
	*apiextensionsv1.CustomResourceDefinitionVersion
	kind       *kind
	row        *kinds.Kind
	schema     func() (*apiextensions.JSONSchemaProps, error) // nil where none is stated
	structural func() (*structuralschema.Structural, error)
	rules      func() (*rules, error)
	defaults   func() bool // whether the schema has any
}

func newVersion(k *kind, of *apiextensionsv1.CustomResourceDefinitionVersion) *version {
	v := &version{CustomResourceDefinitionVersion: of, kind: k}
	v.schema = sync.OnceValues(v.readSchema)
	v.structural = sync.OnceValues(v.readStructural)
	v.rules = sync.OnceValues(v.compile)
	v.defaults = sync.OnceValue(v.hasDefaults)
	return v
}

// preserves reports whether the definition keeps all unknown fields, as old ones do.
func (v *version) preserves() bool { return v.kind.crd.Spec.PreserveUnknownFields }

func (v *version) readSchema() (*apiextensions.JSONSchemaProps, error) {
	crd, err := v.kind.text.whole()
	if err != nil {
		return nil, err
	}
	schema, err := apihelpers.GetSchemaForVersion(crd, v.Name)
	if err != nil || schema == nil || schema.OpenAPIV3Schema == nil {
		return nil, err
	}
	var internal apiextensions.CustomResourceValidation
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(schema, &internal, nil); err != nil {
		return nil, fmt.Errorf("read the schema of %s/%s: %w", v.kind.crd.Name, v.Name, err)
	}
	return internal.OpenAPIV3Schema, nil
}

// readStructural makes the form of the schema by which objects are pruned and get their defaults.
func (v *version) readStructural() (*structuralschema.Structural, error) {
	s, err := v.schema()
	if err != nil || s == nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(s)
	if v.preserves() {
		return structural, nil // such a schema may be anything
	}
	if err != nil {
		return nil, fmt.Errorf("the schema of %s/%s is not structural: %w", v.kind.crd.Name, v.Name, err)
	}
	structural = structural.DeepCopy() // defaults are shared with the schema that it was made of
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, fmt.Errorf("prune the defaults of %s/%s: %w", v.kind.crd.Name, v.Name, err)
	}
	return structural, nil
}

// hasDefaults looks for a default in the schema.
func (v *version) hasDefaults() (found bool) {
	s, err := v.structural()
	if err != nil || s == nil {
		return false
	}
	look := structuralschema.Visitor{Structural: func(s *structuralschema.Structural) bool {
		found = found || s.Default.Object != nil
		return false
	}}
	look.Visit(s)
	return found
}

// setDefaults fills the defaults of the schema.
func (v *version) setDefaults(obj runtime.Object) {
	s, err := v.structural()
	if err != nil || s == nil || !v.defaults() {
		return // coerce has reported the error
	}
	defaulting.Default(obj.(*unstructured.Unstructured).Object, s)
}

// coerceBody is coerce for a body.
func (v *version) coerceBody(obj runtime.Object, listUnknown bool) ([]error, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, nil
	}
	unknown, err := v.coerce(u, coercion{listUnknown: listUnknown})
	if err != nil {
		return unknown, err
	}
	return unknown, v.boundDefaults(u)
}

// boundDefaults refuses an object that its defaults would make larger than any that can be stored.
func (v *version) boundDefaults(u *unstructured.Unstructured) error {
	s, err := v.structural()
	if err != nil || !v.defaults() {
		return err
	}
	if err := boundDefaults(u.Object, s); err != nil {
		return apierrors.NewRequestEntityTooLargeError(err.Error())
	}
	return nil
}

// A coercion says how coerce treats what does not fit.
type coercion struct {
	stored      bool // malformed metadata is dropped rather than refused, and the generation is at least 1
	listUnknown bool
}

// coerce does to an object what decoding into a Go type does: metadata gets its types, fields that the schema does not
// know go, and so do nulls where none may be.
func (v *version) coerce(u *unstructured.Unstructured, c coercion) (unknown []error, err error) {
	s, err := v.structural()
	if err != nil {
		return nil, err
	}
	kind, hasKind := u.Object["kind"]
	apiVersion, hasVersion := u.Object["apiVersion"]
	meta, hasMeta, paths, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{
		DropMalformedFields: c.stored, ReturnUnknownFieldPaths: c.listUnknown,
	})
	if err != nil {
		return nil, err
	}
	if !v.preserves() {
		o := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: c.listUnknown}
		paths = append(paths, pruning.PruneWithOptions(u.Object, s, true, o)...)
		defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	}
	fieldErr, more := objectmeta.CoerceWithOptions(nil, u.Object, s, false, objectmeta.CoerceOptions{
		DropInvalidFields: c.stored, ReturnUnknownFieldPaths: c.listUnknown,
	})
	if fieldErr != nil {
		return nil, fieldErr
	}
	if c.stored && meta != nil && meta.Generation == 0 {
		meta.Generation = 1
	}
	if hasKind {
		u.Object["kind"] = kind
	}
	if hasVersion {
		u.Object["apiVersion"] = apiVersion
	}
	if hasMeta {
		err = objectmeta.SetObjectMeta(u.Object, meta)
	}
	return unknownFields(append(paths, more...)), err
}

func unknownFields(paths []string) []error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, fmt.Errorf("unknown field %q", path))
	}
	return errs
}
