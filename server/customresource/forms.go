package customresource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	managed "kubarium/server/fields"
	"kubarium/server/kinds"
)

// forms are the forms of a custom resource in one version. Objects have no Go type: the internal form is the served one.
type forms struct {
	*version
	look func(obj runtime.Object) fields.Set // nil where no version has selectable fields
	ctx  context.Context                     // of the request for which it converts
}

var _ kinds.Forms = forms{}

func (f forms) New() runtime.Object { return &unstructured.Unstructured{Object: map[string]any{}} }

func (f forms) NewList() runtime.Object {
	return &unstructured.UnstructuredList{Object: map[string]any{}}
}

func (f forms) NewInternal() runtime.Object {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(f.row.GroupVersionKind)
	return u
}

func (f forms) Coerce(obj runtime.Object, listUnknown bool) ([]error, error) {
	return f.coerceBody(obj, listUnknown)
}

func (f forms) Default(obj runtime.Object) { f.setDefaults(obj) }

func (f forms) Internal(obj runtime.Object) (runtime.Object, error) { return obj, nil }

func (f forms) Served(obj runtime.Object) (runtime.Object, error) { return obj, nil }

// Decode reads the object by the schema of the version in which it is stored, and converts it to this one.
func (f forms) Decode(stored []byte) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	if err := codecs.ReadStored(stored, u); err != nil {
		return nil, err
	}
	obj, err := f.fromStored(f.ctx, u)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(f.row.GroupVersionKind)
	return obj, nil
}

func (f forms) DecodeServed(stored []byte) (runtime.Object, error) { return f.Decode(stored) }

func (f forms) Encode(obj runtime.Object) ([]byte, error) {
	if f.row.StoredAs != nil {
		var err error
		if obj, err = f.kind.toStored(f.ctx, obj.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	version := m.GetResourceVersion()
	m.SetResourceVersion("")
	m.SetSelfLink("")
	obj.GetObjectKind().SetGroupVersionKind(f.row.Stored().GroupVersionKind)
	value, err := json.Marshal(obj)
	m.SetResourceVersion(version)
	return value, err
}

// AsStored is false: an object stored by an older schema is served by the present one.
func (f forms) AsStored() bool { return false }

func (f forms) FormName() string { return f.row.GroupVersion().String() + " " + f.kind.form }

func (f forms) Look(stored []byte) (runtime.Object, fields.Set, error) {
	if f.look == nil {
		var version string
		if err := json.Unmarshal(codecs.Member(stored, "apiVersion"), &version); err != nil {
			return nil, nil, nil // a read of the object reports the error
		}
		return nil, nil, f.kind.defines(version)
	}
	u := &unstructured.Unstructured{}
	if err := codecs.ReadStored(stored, u); err != nil {
		return nil, nil, err
	}
	if err := f.kind.restore(u); err != nil {
		return nil, nil, err
	}
	return u, f.look(u), nil
}

// ConvertFieldLabel knows the metadata's fields and the version's selectableFields.
func (f forms) ConvertFieldLabel(label, value string) (string, string, error) {
	if label == "metadata.name" || label == "metadata.namespace" && f.row.Namespaced || slices.Contains(f.fieldNames(), label) {
		return label, value, nil
	}
	return "", "", fmt.Errorf("field label not supported: %s", label)
}

func (f forms) Scheme() kinds.ObjectScheme { return scheme{f.kind, f.ctx} }

func (f forms) Managed(subresource string) (managed.Options, error) {
	types, err := f.kind.converter()
	if err != nil {
		return managed.Options{}, err
	}
	versions := &managed.Custom{InVersion: f.kind.owned}
	return managed.Options{
		Kind: f.row.GroupVersionKind, Subresource: subresource, Types: types,
		Convertor: versions, Creater: versions, Defaulter: defaulter(f.setDefaults),
		Hub: f.row.GroupVersion(), Reset: kinds.ResetFields(f.row.UpdateStrategy(subresource)), Unstructured: true,
	}, nil
}

// A defaulter is a function as runtime.ObjectDefaulter.
type defaulter func(obj runtime.Object)

// Default fulfils runtime.ObjectDefaulter.
func (d defaulter) Default(obj runtime.Object) { d(obj) }
