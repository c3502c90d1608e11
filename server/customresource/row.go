package customresource

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	kubeversion "k8s.io/apimachinery/pkg/version"

	"kubarium/server/kinds"
)

// A kind is what the rows of one definition share.
type kind struct {
	crd       *apiextensionsv1.CustomResourceDefinition // without schemas
	text      text
	form      string
	versions  map[string]*version
	storage   *kinds.Kind
	converter func() (managedfields.TypeConverter, error)
}

// row makes the row of one version.
func (k *kind) row(v *version) *kinds.Kind {
	names := k.crd.Status.AcceptedNames
	row := &kinds.Kind{
		GroupVersionKind: schema.GroupVersionKind{Group: k.crd.Spec.Group, Version: v.Name, Kind: names.Kind},
		Resource:         names.Plural,
		Singular:         names.Singular,
		ListKind:         names.ListKind,
		ShortNames:       names.ShortNames,
		Categories:       names.Categories,
		Namespaced:       k.crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		New:              func() runtime.Object { return &unstructured.Unstructured{Object: map[string]any{}} },
		NewList:          func() runtime.Object { return &unstructured.UnstructuredList{Object: map[string]any{}} },
		Custom: &kinds.CustomRow{
			Form: k.form, Coerce: v.coerceBody, Converter: k.converter, InVersion: k.inVersion, Warnings: k.warnings(v),
		},
		FromStored:     v.fromStored,
		ToStored:       k.toStored,
		Default:        v.setDefaults,
		Generation:     true,
		Status:         v.Subresources != nil && v.Subresources.Status != nil,
		ValidateCreate: v.validate,
		ValidateUpdate: v.validateUpdate,
		Warn:           finalizerWarnings,

		ValidateStatusUpdate: v.validateStatusUpdate,
	}
	if v.Subresources != nil && v.Subresources.Scale != nil {
		row.Scale = scale(v.Subresources.Scale)
	}
	row.Printer = v.printer()
	row.Fields, row.FieldNames = k.selectable(), v.fieldNames()
	v.row = row
	return row
}

// warnings are told with every answer of a deprecated version.
func (k *kind) warnings(v *version) []string {
	switch {
	case !v.Deprecated:
		return nil
	case v.DeprecationWarning != nil:
		return []string{*v.DeprecationWarning}
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", k.crd.Spec.Group, v.Name, k.crd.Spec.Names.Kind)
	newer := ""
	for _, other := range k.crd.Spec.Versions {
		if other.Served && !other.Deprecated && kubeversion.CompareKubeAwareVersionStrings(v.Name, other.Name) < 0 &&
			(newer == "" || kubeversion.CompareKubeAwareVersionStrings(newer, other.Name) < 0) {
			newer = other.Name
		}
	}
	if newer != "" {
		text += fmt.Sprintf("; use %s/%s %s", k.crd.Spec.Group, newer, k.crd.Spec.Names.Kind)
	}
	return []string{text}
}

// toStored is the object in the storage version.
func (k *kind) toStored(obj runtime.Object) (runtime.Object, error) {
	return k.inVersion(obj, k.storage.GroupVersion())
}

// inVersion is the object in another version. The strategy None changes nothing but the apiVersion; the other version's
// schema then drops what it does not know ("Versions in CustomResourceDefinitions").
func (k *kind) inVersion(obj runtime.Object, to schema.GroupVersion) (runtime.Object, error) {
	u := obj.(*unstructured.Unstructured)
	if u.GetAPIVersion() == to.String() {
		return u, nil
	}
	v := k.versions[to.Version]
	if v == nil || to.Group != k.crd.Spec.Group {
		return nil, runtime.NewNotRegisteredErrForKind(k.crd.Name, to.WithKind(u.GetKind()))
	}
	u.SetAPIVersion(to.String())
	_, err := v.coerce(u, coercion{})
	return u, err
}
