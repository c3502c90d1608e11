package kinds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"kubarium/codecs"
	managed "kubarium/server/fields"
)

// typedForms are the forms of a built-in kind: Go types of k8s.io/api on the wire and in the store, internal ones of
// Kubernetes in between, and the official scheme's conversions.
type typedForms struct {
	kind *Kind
	// attributes returns the labels and selectable fields of an internal object; nil where only those of the metadata
	// are selectable.
	attributes func(obj runtime.Object) (labels.Set, fields.Set, error)
	// keptAsJSON says that kube-apiserver stores the objects in JSON too, not in Protobuf.
	keptAsJSON bool
}

// convert goes between versions and the internal form; what it returns shares memory with obj.
var convert = runtime.UnsafeObjectConvertor(Scheme)

// internal is the group and version of a kind's internal form.
func internal(gvk schema.GroupVersionKind) schema.GroupVersion {
	return schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
}

func (f *typedForms) New() runtime.Object { return mustNew(f.kind.GroupVersionKind) }

func (f *typedForms) NewList() runtime.Object { return mustNew(f.kind.ListGroupVersionKind()) }

func (f *typedForms) NewInternal() runtime.Object {
	return mustNew(internal(f.kind.GroupVersionKind).WithKind(f.kind.Kind))
}

// Internal is an empty object in the internal form of a built-in kind.
func Internal(of schema.GroupVersionKind) (runtime.Object, error) {
	return Scheme.New(internal(of).WithKind(of.Kind))
}

// ToInternal is an object of a built-in kind in its internal form, in memory of its own.
func ToInternal(served runtime.Object) (runtime.Object, error) {
	gvks, _, err := Scheme.ObjectKinds(served)
	if err != nil {
		return nil, err
	}
	return Scheme.ConvertToVersion(served, internal(gvks[0]))
}

// SameInternal reports whether a served object of whatever kind has the internal form that an internal object is in.
func SameInternal(served, obj runtime.Object) bool {
	gvks, _, err := Scheme.ObjectKinds(served)
	if err != nil {
		return false
	}
	for _, gvk := range gvks {
		if of, err := Internal(gvk); err == nil && reflect.TypeOf(of) == reflect.TypeOf(obj) {
			return true
		}
	}
	return false
}

// mustNew is an empty object of a kind that the scheme has.
func mustNew(gvk schema.GroupVersionKind) runtime.Object {
	obj, err := Scheme.New(gvk)
	if err != nil {
		panic(fmt.Sprintf("a row of the catalogue: %v", err))
	}
	return obj
}

// Coerce has nothing to do: a Go type has no other fields.
func (f *typedForms) Coerce(runtime.Object, bool) ([]error, error) { return nil, nil }

func (f *typedForms) Default(served runtime.Object) { Scheme.Default(served) }

func (f *typedForms) Internal(served runtime.Object) (runtime.Object, error) {
	return convert.ConvertToVersion(served, internal(f.kind.GroupVersionKind))
}

func (f *typedForms) Served(obj runtime.Object) (runtime.Object, error) {
	return convert.ConvertToVersion(obj, f.kind.GroupVersion())
}

func (f *typedForms) Decode(stored []byte) (runtime.Object, error) {
	obj, err := f.decodeStored(stored)
	if err != nil {
		return nil, err
	}
	return convert.ConvertToVersion(obj, internal(f.kind.Stored().GroupVersionKind))
}

// DecodeServed takes the way through the internal form only where another version is stored.
func (f *typedForms) DecodeServed(stored []byte) (runtime.Object, error) {
	if !f.AsStored() {
		obj, err := f.Decode(stored)
		if err != nil {
			return nil, err
		}
		return f.Served(obj)
	}
	obj, err := f.decodeStored(stored)
	if err == nil {
		obj.GetObjectKind().SetGroupVersionKind(f.kind.GroupVersionKind)
	}
	return obj, err
}

// decodeStored reads an object in the version in which it is stored.
func (f *typedForms) decodeStored(stored []byte) (runtime.Object, error) {
	obj := f.kind.Stored().New()
	return obj, codecs.ReadStored(stored, obj)
}

// Encode gives the object its defaults once more: kube-apiserver does so whenever it reads one from its store, and some of
// what a strategy leaves empty has a default, such as the phase of a new claim.
func (f *typedForms) Encode(obj runtime.Object) ([]byte, error) {
	obj, err := convert.ConvertToVersion(obj, f.kind.Stored().GroupVersion())
	if err != nil {
		return nil, err
	}
	Scheme.Default(obj)
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	m.SetResourceVersion("")
	m.SetSelfLink("")
	value, err := json.Marshal(obj)
	if err != nil || f.keptAsJSON || !bytes.Contains(value, noItems) {
		return value, err
	}
	if err := forgetEmptyLists(obj); err != nil {
		return nil, err
	}
	return json.Marshal(obj)
}

// noItems is how JSON shows a list of nothing, if it does not leave it out.
var noItems = []byte(":[]")

// forgetEmptyLists makes an object's empty lists nil. kube-apiserver stores most kinds in Protobuf, which knows no others.
func forgetEmptyLists(obj runtime.Object) error {
	message, ok := obj.(interface {
		Marshal() ([]byte, error)
		Unmarshal([]byte) error
	})
	if !ok {
		return nil
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	wire, err := message.Marshal()
	if err != nil {
		return err
	}
	reflect.ValueOf(obj).Elem().SetZero()
	if err := message.Unmarshal(wire); err != nil {
		return err
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return nil
}

func (f *typedForms) AsStored() bool { return f.kind.StoredAs == nil }

func (f *typedForms) FormName() string { return f.kind.GroupVersion().String() }

func (f *typedForms) Look(stored []byte) (runtime.Object, fields.Set, error) {
	if f.attributes == nil {
		return nil, nil, nil
	}
	served, err := f.decodeStored(stored)
	if err != nil {
		return nil, nil, err
	}
	obj, err := convert.ConvertToVersion(served, internal(f.kind.Stored().GroupVersionKind))
	if err != nil {
		return nil, nil, err
	}
	_, set, err := f.attributes(obj)
	delete(set, "metadata.name") // the cache knows them by the key
	delete(set, "metadata.namespace")
	return served, set, err
}

func (f *typedForms) ConvertFieldLabel(label, value string) (string, string, error) {
	return Scheme.ConvertFieldLabel(f.kind.GroupVersionKind, label, value)
}

func (f *typedForms) Scheme() ObjectScheme { return Scheme }

func (f *typedForms) Managed(subresource string) (managed.Options, error) {
	return managed.Options{
		Kind: f.kind.GroupVersionKind, Subresource: subresource,
		Convertor: convert, Defaulter: Scheme, Creater: Scheme,
		Hub: internal(f.kind.GroupVersionKind), Reset: ResetFields(f.kind.UpdateStrategy(subresource)),
	}, nil
}

// ResetFields are what a strategy leaves alone, so that no manager comes to own it, by version. Those with a filter are of
// pods' ephemeralcontainers and resize, whose storages in kube-apiserver do not pass it on: managers own what they send.
func ResetFields(s rest.RESTUpdateStrategy) map[fieldpath.APIVersion]fieldpath.Filter {
	switch s := s.(type) {
	case rest.ResetFieldsFilterStrategy:
		return nil
	case rest.ResetFieldsStrategy:
		return fieldpath.NewExcludeFilterSetMap(s.GetResetFields())
	}
	return nil
}
